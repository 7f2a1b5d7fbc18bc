// SPDX-License-Identifier: Apache-2.0
/// Copy kernels for the copy ceiling.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>

namespace fastnorm::measure {

/// Every thread moves `accesses` times 16 bytes and ends: blocks that stay and loop are slower.
struct CopyShape {
  int accesses;
  int threads;
};
inline constexpr std::array<CopyShape, 6> copy_shapes = {
    {{1, 256}, {1, 512}, {2, 256}, {2, 512}, {4, 256}, {4, 512}}};

/// Both pointers aligned to 16 bytes.
cudaError_t enqueue_copy(CopyShape shape, void* to, const void* from, std::size_t bytes,
                         cudaStream_t stream);

}  // namespace fastnorm::measure
