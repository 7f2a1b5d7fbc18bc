// SPDX-License-Identifier: Apache-2.0
// The clusters of strategy cluster_row, for each element type and kernel shape.
#include "backends/cuda/cluster_row_kernel.hpp"
#include "backends/cuda/device/cluster_exchange.cuh"
#include "backends/cuda/single_read_shapes.hpp"

namespace fastnorm::cuda {
template <class T, int kVec, int kUnroll, RowForm kForm>
__global__ void __launch_bounds__(resident_max_threads(kUnroll))
    cluster_row_kernel(const __grid_constant__ RowParams params, const int part_len) {
#if __CUDA_ARCH__ >= 900
  write_row_by_cluster<T, kVec, kUnroll, kForm>(params, part_len);
#endif
}

const void* cluster_row_kernel_address(DType type, KernelShape shape, RowForm form) {
  return select_kernel(type, shape, SingleReadScalarUnrolls{}, SingleReadUnrolls{},
                       [form](auto tag, auto vec, auto unroll) {
                         using T = typename decltype(tag)::type;
                         return with_form<T, decltype(vec)::value>(form, [](auto in_form) {
                           return reinterpret_cast<const void*>(
                               &cluster_row_kernel<T, decltype(vec)::value, decltype(unroll)::value,
                                                   decltype(in_form)::value>);
                         });
                       });
}

}  // namespace fastnorm::cuda
