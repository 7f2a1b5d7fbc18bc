// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/cuda/row_config.hpp"

#include <fastnorm/types.hpp>

namespace fastnorm::cuda {

/// The two kernels of a split strategy: __global__ void (RowParams, RowSplit, slots*), for
/// cudaLaunchKernel; null if there is no such instantiation.
struct SplitKernels {
  const void* statistics = nullptr;
  const void* apply = nullptr;
};

SplitKernels partial_split_kernels(DType type, KernelShape shape);
SplitKernels atomic_split_kernels(DType type, KernelShape shape);

}  // namespace fastnorm::cuda
