// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/cuda/device/row_params.hpp"
#include "backends/cuda/row_config.hpp"

#include <fastnorm/types.hpp>

namespace fastnorm::cuda {

/// __global__ void (RowParams), for cudaLaunchKernel; null if there is no such instantiation.
const void* resident_row_kernel_address(DType type, KernelShape shape, RowForm form);

}  // namespace fastnorm::cuda
