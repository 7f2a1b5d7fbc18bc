// SPDX-License-Identifier: Apache-2.0
// Several blocks a row: one kernel for the moments of the parts, one that joins them and writes y.
// How the parts are joined is the Reduction's.
#include "backends/cuda/device/atomic_reduction.cuh"
#include "backends/cuda/device/first_read.cuh"
#include "backends/cuda/device/partial_reduction.cuh"
#include "backends/cuda/device/row_part.cuh"
#include "backends/cuda/device/second_read.cuh"
#include "backends/cuda/split_row_kernels.hpp"
#include "backends/cuda/two_read_shapes.hpp"

namespace fastnorm::cuda {

template <class T, int kVec, int kUnroll, class Reduction>
__global__ void __launch_bounds__(max_threads(value_words<T>(kVec, kUnroll)))
    split_statistics_kernel(const __grid_constant__ RowParams params, const RowSplit split,
                            typename Reduction::template Slot<Accumulator<T>>* slots) {
  const RowGeometry& geometry = params.geometry;
  const std::int64_t items = geometry.rows * split.parts;
  for (std::int64_t item = blockIdx.x; item < items; item += gridDim.x) {
    const std::int64_t row = item / split.parts;
    const RowPart part(geometry, split, item - row * split.parts);
    const auto moments =
        read_moments<T, kVec, kUnroll>(params, geometry.x_begin(row) + part.begin, part.length);
    if (threadIdx.x == 0) {
      Reduction::template publish<T>(slots, params, split, row, part.index, moments);
    }
    __syncthreads();  // Before the next part's moments meet where these did.
  }
}

template <class T, int kVec, int kUnroll, class Reduction>
__global__ void __launch_bounds__(max_threads(value_words<T>(kVec, kUnroll)))
    split_apply_kernel(const __grid_constant__ RowParams params, const RowSplit split,
                       const typename Reduction::template Slot<Accumulator<T>>* slots) {
  const RowGeometry& geometry = params.geometry;
  const std::int64_t items = geometry.rows * split.parts;
  for (std::int64_t at = blockIdx.x; at < items; at += gridDim.x) {
    // Backwards over the tensor: the statistics kernel's last reads are still in the L2.
    const std::int64_t item = params.cache.second_read == WalkOrder::forward ? at : items - 1 - at;
    const std::int64_t row = item / split.parts;
    const RowPart part(geometry, split, item - row * split.parts);
    const auto statistics = Reduction::template collect<Accumulator<T>>(slots, params, split, row);
    if (part.index == 0 && threadIdx.x == 0) write_statistics(params, row, statistics);
    write_normalised<T, kVec, kUnroll>(params, row, part.begin, part.length, statistics);
    __syncthreads();  // Before the next row's parts meet where these did.
  }
}

namespace {

template <class Reduction>
SplitKernels kernels_of(DType type, KernelShape shape) {
  SplitKernels kernels;
  kernels.statistics =
      select_kernel(type, shape, TwoReadUnrolls{}, [](auto tag, auto vec, auto unroll) {
        using T = typename decltype(tag)::type;
        return reinterpret_cast<const void*>(
            &split_statistics_kernel<T, decltype(vec)::value, decltype(unroll)::value, Reduction>);
      });
  kernels.apply = select_kernel(type, shape, TwoReadUnrolls{}, [](auto tag, auto vec, auto unroll) {
    using T = typename decltype(tag)::type;
    return reinterpret_cast<const void*>(
        &split_apply_kernel<T, decltype(vec)::value, decltype(unroll)::value, Reduction>);
  });
  return kernels;
}

}  // namespace

SplitKernels partial_split_kernels(DType type, KernelShape shape) {
  return kernels_of<PartialReduction>(type, shape);
}
SplitKernels atomic_split_kernels(DType type, KernelShape shape) {
  return kernels_of<AtomicReduction>(type, shape);
}

}  // namespace fastnorm::cuda
