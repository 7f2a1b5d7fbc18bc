// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/cuda/row_config.hpp"

#include <fastnorm/types.hpp>

namespace fastnorm::cuda {

/// __global__ void (RowParams, StridedGeometry), for cudaLaunchKernel; null if there is no such
/// instantiation. Single elements and vectors have scalar_unroll alone.
const void* strided_row_kernel_address(DType type, KernelShape shape);

}  // namespace fastnorm::cuda
