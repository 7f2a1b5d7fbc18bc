// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/backend.hpp"

namespace fastnorm::kokkos {

/// "kokkos-cuda": Kokkos kernels on the CUDA device that Kokkos was initialised for.
const Backend& cuda_backend();

}  // namespace fastnorm::kokkos
