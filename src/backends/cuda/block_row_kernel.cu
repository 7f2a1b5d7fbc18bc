// One block a row: moments of the whole row, then the row again.
#include "backends/cuda/block_row_kernel.hpp"
#include "backends/cuda/device/first_read.cuh"
#include "backends/cuda/device/second_read.cuh"
#include "backends/cuda/kernel_table.hpp"

namespace fastnorm::cuda {

template <class T, int kVec, int kUnroll>
__global__ void __launch_bounds__(max_threads(kVec, kUnroll))
    block_row_kernel(const __grid_constant__ RowParams<T> params) {
  const RowGeometry& geometry = params.geometry;
  // More rows than a grid may have blocks: a block takes several.
  for (std::int64_t row = blockIdx.x; row < geometry.rows; row += gridDim.x) {
    const PartMoments moments =
        read_moments<T, kVec, kUnroll>(params.x + row * geometry.row_len, geometry.row_len);
    const RowStatistics statistics = broadcast(finish(moments, params.eps));
    if (threadIdx.x == 0) write_statistics(params, row, statistics);
    write_normalised<T, kVec, kUnroll>(params, row, 0, geometry.row_len, statistics);
  }
}

const void* block_row_kernel_address(KernelShape shape) {
  return select_kernel(shape, [](auto vec, auto unroll) {
    return reinterpret_cast<const void*>(
        &block_row_kernel<float, decltype(vec)::value, decltype(unroll)::value>);
  });
}

}  // namespace fastnorm::cuda
