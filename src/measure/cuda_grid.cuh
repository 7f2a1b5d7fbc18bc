// SPDX-License-Identifier: Apache-2.0
/// Blocks and threads for the reference's kernels.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>

namespace fastnorm::measure {

inline constexpr int block_threads = 256;

/// Few enough for a grid; a kernel loops over the rest.
inline int blocks_for(std::int64_t items, std::int64_t most) {
  return static_cast<int>(std::clamp<std::int64_t>(items, 1, most));
}

/// For kernels whose threads take every so many-th element.
inline int blocks_for_elements(std::int64_t count) {
  return blocks_for((count + block_threads - 1) / block_threads, 8192);
}

__device__ inline std::int64_t first_index() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

__device__ inline std::int64_t grid_threads() {
  return static_cast<std::int64_t>(gridDim.x) * blockDim.x;
}

}  // namespace fastnorm::measure
