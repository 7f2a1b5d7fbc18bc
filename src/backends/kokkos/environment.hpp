// SPDX-License-Identifier: Apache-2.0
/// The environment variables that Kokkos follows when it starts: its own, and OpenMP's number of
/// threads.
#pragma once

#include <fastnorm/status.hpp>

namespace fastnorm::kokkos {

/// Whether Kokkos can follow those that are set; where it cannot, it ends the process, or corrupts
/// its memory. Errors: invalid_argument, which names the variable, its value and what is allowed.
Status check_environment();

}  // namespace fastnorm::kokkos
