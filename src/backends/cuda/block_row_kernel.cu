// SPDX-License-Identifier: Apache-2.0
// One block a row: moments of the whole row, then the row again.
#include "backends/cuda/block_row_kernel.hpp"
#include "backends/cuda/device/first_read.cuh"
#include "backends/cuda/device/second_read.cuh"
#include "backends/cuda/two_read_shapes.hpp"

namespace fastnorm::cuda {

template <class T, int kVec, int kUnroll>
__global__ void __launch_bounds__(max_threads(value_words<T>(kVec, kUnroll)))
    block_row_kernel(const __grid_constant__ RowParams params) {
  const RowGeometry& geometry = params.geometry;
  // More rows than a grid may have blocks: a block takes several.
  for (std::int64_t row = blockIdx.x; row < geometry.rows; row += gridDim.x) {
    const auto moments =
        read_moments<T, kVec, kUnroll>(params, geometry.x_begin(row), geometry.row_len);
    const auto statistics =
        finish(moments, params.statistics, static_cast<Accumulator<T>>(params.eps));
    if (threadIdx.x == 0) write_statistics(params, row, statistics);
    write_normalised<T, kVec, kUnroll>(params, row, 0, geometry.row_len, statistics);
    __syncthreads();  // Before the next row's moments meet where these did.
  }
}

const void* block_row_kernel_address(DType type, KernelShape shape) {
  return select_kernel(type, shape, TwoReadUnrolls{}, [](auto tag, auto vec, auto unroll) {
    using T = typename decltype(tag)::type;
    return reinterpret_cast<const void*>(
        &block_row_kernel<T, decltype(vec)::value, decltype(unroll)::value>);
  });
}

}  // namespace fastnorm::cuda
