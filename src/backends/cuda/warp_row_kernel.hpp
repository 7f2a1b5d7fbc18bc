// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/cuda/device/row_params.hpp"
#include "backends/cuda/row_config.hpp"

#include <fastnorm/types.hpp>

namespace fastnorm::cuda {

/// __global__ void (RowParams, int log2_lanes), for cudaLaunchKernel; null if there is no such
/// instantiation.
struct WarpRowKernels {
  const void* at_vectors = nullptr;  ///< For rows that start and end at vectors' boundaries.
  const void* anywhere = nullptr;
};

WarpRowKernels warp_row_kernels(DType type, KernelShape shape, RowForm form);

}  // namespace fastnorm::cuda
