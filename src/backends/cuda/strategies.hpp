/// The CUDA strategies. A new one is its kernel file, its variant file and a line here and in
/// strategies.cpp.
#pragma once

#include "core/backend.hpp"

#include <vector>

namespace fastnorm::cuda {

const KernelVariant& warp_row_variant();
const KernelVariant& resident_row_variant();
const KernelVariant& cluster_row_variant();
const KernelVariant& block_row_variant();
const KernelVariant& stream_row_variant();
const KernelVariant& split_two_kernel_variant();
const KernelVariant& split_atomic_variant();

/// All of them; the most general last.
const std::vector<const KernelVariant*>& strategies();

}  // namespace fastnorm::cuda
