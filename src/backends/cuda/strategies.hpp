// SPDX-License-Identifier: Apache-2.0
/// The CUDA strategies. A new one is its kernel file, its variant file and a line here and in
/// strategies.cpp.
#pragma once

#include "core/backend.hpp"
#include "core/problem.hpp"

#include <fastnorm/status.hpp>

#include <memory>
#include <vector>

namespace fastnorm::cuda {

const KernelVariant& warp_row_variant();
const KernelVariant& resident_row_variant();
const KernelVariant& cluster_row_variant();
const KernelVariant& block_row_variant();
const KernelVariant& stream_row_variant();
const KernelVariant& window_row_variant();
const KernelVariant& split_two_kernel_variant();
const KernelVariant& split_atomic_variant();
const KernelVariant& resident_columns_variant();
const KernelVariant& stream_columns_variant();
const KernelVariant& split_columns_variant();
const KernelVariant& strided_row_variant();

/// block_row element by element, for what another strategy cannot launch: it takes any pointers,
/// and no block of it waits for another.
Result<std::unique_ptr<const Executable>> prepare_scalar_block_row(const Problem& problem,
                                                                   const DeviceInfo& device);

/// split_columns element by element, likewise.
Result<std::unique_ptr<const Executable>> prepare_scalar_columns(const Problem& problem,
                                                                 const DeviceInfo& device);

/// All of them; the most general last: block_row of those for rows whose elements follow each
/// other, and strided_row for what these refuse.
const std::vector<const KernelVariant*>& strategies();

}  // namespace fastnorm::cuda
