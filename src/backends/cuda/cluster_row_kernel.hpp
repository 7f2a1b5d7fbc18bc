// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/cuda/device/row_params.hpp"
#include "backends/cuda/row_config.hpp"

#include <fastnorm/types.hpp>

namespace fastnorm::cuda {

/// __global__ void (RowParams, int part_len), for cudaLaunchKernel with a row's blocks as a
/// cluster, each of which has `part_len` elements of the row (the last one what is left of them);
/// null if there is no such instantiation.
const void* cluster_row_kernel_address(DType type, KernelShape shape, RowForm form);

}  // namespace fastnorm::cuda
