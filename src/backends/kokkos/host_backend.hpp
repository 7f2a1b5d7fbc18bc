// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/backend.hpp"

namespace fastnorm::kokkos {

/// "kokkos-host": the host execution space that Kokkos was built with.
const Backend& host_backend();

}  // namespace fastnorm::kokkos
