// SPDX-License-Identifier: Apache-2.0
/// The persistent kernel of strategy window_row, as its launcher sees it.
#pragma once

#include "backends/cuda/device/row_params.hpp"
#include "backends/cuda/row_config.hpp"

#include <fastnorm/types.hpp>

namespace fastnorm::cuda {

/// How rows go through the blocks: block b has part b % parts of each row of team b / parts.
struct WindowShape {
  RowSplit split;
  int teams = 1;  ///< Each has rows team, team + teams, ...
};

/// __global__ void (RowParams, WindowShape, PartialMessage*), for cudaLaunchKernel; null if there
/// is no such instantiation. The messages are rows times parts.
const void* window_row_kernel_address(DType type, KernelShape shape);

}  // namespace fastnorm::cuda
