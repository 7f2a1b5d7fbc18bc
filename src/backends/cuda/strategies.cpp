// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/strategies.hpp"

namespace fastnorm::cuda {

const std::vector<const KernelVariant*>& strategies() {
  // Never destroyed, like all that a call from a static object's destructor may need.
  static const auto& all = *new std::vector<const KernelVariant*>{
      &warp_row_variant(),       &resident_row_variant(),  &cluster_row_variant(),
      &stream_row_variant(),     &window_row_variant(),    &split_two_kernel_variant(),
      &split_atomic_variant(),   &block_row_variant(),     &resident_columns_variant(),
      &stream_columns_variant(), &split_columns_variant(), &strided_row_variant()};
  return all;
}

}  // namespace fastnorm::cuda
