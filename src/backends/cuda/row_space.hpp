/// What the row strategies share on the host: support, search space, launch parameters.
#pragma once

#include "backends/cuda/device/row_params.hpp"
#include "backends/cuda/row_config.hpp"
#include "core/backend.hpp"
#include "core/problem.hpp"

#include <fastnorm/norm_desc.hpp>
#include <fastnorm/status.hpp>

#include <cuda_runtime_api.h>

#include <cstdint>
#include <vector>

namespace fastnorm::cuda {

/// Whether a block may look like this on the device.
Support supports_row_config(const RowConfig& config, const DeviceInfo& device);

/// Block shapes worth trying for blocks of `block_len` elements: no threads or unrolled loads
/// without work, narrow vectors only where rows are short, and the orders and hints only where the
/// tensor exceeds the L2.
std::vector<RowConfig> row_configs(const Problem& problem, const DeviceInfo& device,
                                   std::int64_t block_len);

/// Everything of the parameters but the pointers.
RowParams<float> row_params(const Problem& problem, const RowConfig& config);

/// A copy with the call's pointers.
RowParams<float> with_tensors(RowParams<float> params, const NormArgs& args) noexcept;

/// x and y are equally far from a vector's alignment, so that one cut serves both.
bool same_vector_phase(const NormArgs& args, int vec_width) noexcept;

/// Blocks of a grid that has `items` to do; the kernels loop where there are more.
unsigned int grid_blocks(std::int64_t items) noexcept;

/// Loads the kernel now, so that a first launch waits for nothing.
Status load_kernel(const void* kernel, const char* name);

Status launch_kernel(const char* name, const void* kernel, unsigned int blocks, int threads,
                     void** arguments, Stream stream);

}  // namespace fastnorm::cuda
