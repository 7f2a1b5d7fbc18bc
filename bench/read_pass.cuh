// SPDX-License-Identifier: Apache-2.0
/// A kernel that reads memory and does nothing else.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace fastnorm::bench {

/// Reads each 16 bytes once, by loads that ask nothing of any cache: what a kernel by someone who
/// never thought of the L2's priorities does. `zeros` holds zeros and is aligned to 16 bytes, of
/// which `bytes` is a multiple.
cudaError_t enqueue_read(void* zeros, std::size_t bytes, cudaStream_t stream);

}  // namespace fastnorm::bench
