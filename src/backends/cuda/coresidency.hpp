// SPDX-License-Identifier: Apache-2.0
/// Launches whose blocks wait for each other: the device must have room for all of those at once.
#pragma once

#include "backends/cuda/kernel_launch.hpp"
#include "backends/cuda/row_config.hpp"
#include "core/backend.hpp"

#include <fastnorm/status.hpp>

#include <cstdint>
#include <functional>
#include <memory>

namespace fastnorm::cuda {

constexpr bool is_cluster_size(int blocks) { return blocks >= 2 && blocks <= most_cluster_blocks; }

/// Loads a launch's kernel on the device and answers how many of its blocks the device then holds
/// at once. The strategies are given it, so that their answers to a device without room can be
/// tested on machines that have none.
using ResidentBlocks =
    std::function<Result<std::int64_t>(const KernelLaunch& launch, const DeviceInfo& device)>;

/// The CUDA runtime's answer. Of clusters, only whole ones count.
Result<std::int64_t> resident_blocks(const KernelLaunch& launch, const DeviceInfo& device);

/// Loads the kernel, and answers what `resident_blocks` says. `unsupported`, with the numbers,
/// where blocks that wait for each other find no room at once.
Result<std::int64_t> load_with_room(const KernelLaunch& launch, const DeviceInfo& device,
                                    const ResidentBlocks& resident_blocks);

/// The strategies that make such launches.
std::unique_ptr<const KernelVariant> make_stream_row(ResidentBlocks resident_blocks);
std::unique_ptr<const KernelVariant> make_cluster_row(ResidentBlocks resident_blocks);
std::unique_ptr<const KernelVariant> make_window_row(ResidentBlocks resident_blocks);
std::unique_ptr<const KernelVariant> make_resident_columns(ResidentBlocks resident_blocks);
std::unique_ptr<const KernelVariant> make_stream_columns(ResidentBlocks resident_blocks);

}  // namespace fastnorm::cuda
