#pragma once

#include "backends/cuda/row_config.hpp"

namespace fastnorm::cuda {

/// __global__ void (RowParams<float>), for cudaLaunchKernel; null if there is no such
/// instantiation.
const void* block_row_kernel_address(KernelShape shape);

}  // namespace fastnorm::cuda
