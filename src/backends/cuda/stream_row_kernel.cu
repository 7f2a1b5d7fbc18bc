// SPDX-License-Identifier: Apache-2.0
// The persistent grid of strategy stream_row, for each element type.
#include "backends/cuda/device/stream_block.cuh"
#include "backends/cuda/kernel_table.hpp"
#include "backends/cuda/stream_row_kernel.hpp"

namespace fastnorm::cuda {
namespace {

template <class T, RowForm kForm>
__global__ void __launch_bounds__(most_stream_threads(kForm), 1)
    stream_row_kernel(const __grid_constant__ RowParams params,
                      const __grid_constant__ StreamShape shape, PartialMessage* messages) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) unsigned char shared[];
  StreamBlock<T, kForm>(params, shape, messages, shared).run();
#endif
}

}  // namespace

int stream_control_bytes(DType type) noexcept {
  return with_element(type,
                      [](auto tag) { return int{control_bytes<typename decltype(tag)::type>}; });
}

const void* stream_row_kernel_address(DType type, RowForm form) {
  return with_element(type, [form](auto tag) {
    using T = typename decltype(tag)::type;
    return with_form<T, full_vec<T>>(form, [](auto in_form) {
      return reinterpret_cast<const void*>(&stream_row_kernel<T, decltype(in_form)::value>);
    });
  });
}

}  // namespace fastnorm::cuda
