// SPDX-License-Identifier: Apache-2.0
/// Kokkos's own environment variables, which it reads when it starts.
#pragma once

#include <fastnorm/status.hpp>

namespace fastnorm::kokkos {

/// Whether Kokkos can read those that are set; where it cannot, it ends the process. Errors:
/// invalid_argument, which names the variable, its value and what is allowed.
Status check_environment();

}  // namespace fastnorm::kokkos
