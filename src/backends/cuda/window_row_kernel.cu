// SPDX-License-Identifier: Apache-2.0
// The persistent grid of strategy window_row.
#include "backends/cuda/device/window_block.cuh"
#include "backends/cuda/two_read_shapes.hpp"
#include "backends/cuda/window_row_kernel.hpp"

namespace fastnorm::cuda {
namespace {

template <class T, int kVec, int kUnroll>
__global__ void __launch_bounds__(max_threads(value_words<T>(kVec, kUnroll)))
    window_row_kernel(const __grid_constant__ RowParams params,
                      const __grid_constant__ WindowShape shape, PartialMessage* messages) {
  WindowBlock<T, kVec, kUnroll>(params, shape, messages).run();
}

}  // namespace

const void* window_row_kernel_address(DType type, KernelShape shape) {
  return select_kernel(type, shape, TwoReadUnrolls{}, [](auto tag, auto vec, auto unroll) {
    using T = typename decltype(tag)::type;
    return reinterpret_cast<const void*>(
        &window_row_kernel<T, decltype(vec)::value, decltype(unroll)::value>);
  });
}

}  // namespace fastnorm::cuda
