// SPDX-License-Identifier: Apache-2.0
/// Kokkos's execution space for a stream of the caller's.
#pragma once

#include <fastnorm/status.hpp>
#include <fastnorm/types.hpp>

#include <Kokkos_Core.hpp>

namespace fastnorm::kokkos {

/// The space that dispatches to `stream`. Kokkos allocates device memory for each one, so they are
/// kept, and a stream's first call must not be captured. Errors: unsupported (first call under
/// capture), device_error.
Result<Kokkos::Cuda> cuda_space(Stream stream);

}  // namespace fastnorm::kokkos
