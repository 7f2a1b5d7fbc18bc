// SPDX-License-Identifier: Apache-2.0
// One block a row, whose elements may lie in runs: moments of the whole row, then the row again.
#include "backends/cuda/device/strided_passes.cuh"
#include "backends/cuda/kernel_table.hpp"
#include "backends/cuda/strided_row_kernel.hpp"

namespace fastnorm::cuda {

template <class T, int kVec, int kUnroll>
__global__ void __launch_bounds__(max_threads(value_words<T>(kVec, kUnroll)))
    strided_row_kernel(const __grid_constant__ RowParams params,
                       const __grid_constant__ StridedGeometry strided) {
  const RowGeometry& geometry = params.geometry;
  for (std::int64_t row = blockIdx.x; row < geometry.rows; row += gridDim.x) {
    const RowPlace place = place_of(geometry, strided, row);
    const auto moments =
        read_strided_moments<T, kVec, kUnroll>(params, strided, place, 0, geometry.row_len);
    const auto statistics =
        finish(moments, params.statistics, static_cast<Accumulator<T>>(params.eps));
    if (threadIdx.x == 0) write_statistics(params, row, statistics);
    write_strided<T, kVec, kUnroll>(params, strided, row, place, 0, geometry.row_len, statistics);
    __syncthreads();  // Before the next row's moments meet where these did.
  }
}

const void* strided_row_kernel_address(DType type, KernelShape shape) {
  return select_kernel(type, shape, UnrollList<scalar_unroll>{},
                       [](auto tag, auto vec, auto unroll) {
                         using T = typename decltype(tag)::type;
                         return reinterpret_cast<const void*>(
                             &strided_row_kernel<T, decltype(vec)::value, decltype(unroll)::value>);
                       });
}

}  // namespace fastnorm::cuda
