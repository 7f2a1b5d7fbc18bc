// SPDX-License-Identifier: Apache-2.0
/// What the cost models share: what a device can do at best.
#pragma once

#include "core/device_info.hpp"

#include <fastnorm/norm_desc.hpp>

namespace fastnorm::cuda {

// Constants of all models are fitted on one H200. Each is of the size that its meaning suggests, so
// other GPUs of the last generations should not be far off.

inline constexpr double cycles_per_us = 1750;

/// Bytes a microsecond: as much of the theoretical bandwidth as a copy reaches.
double full_bandwidth(const DeviceInfo& device);

/// The same where `demand` asks for less; `sharpness` says how sharply demand meets the bandwidth.
double memory_rate(double full, double demand, double sharpness);

/// Of threads that take so many registers each.
double blocks_per_processor(const DeviceInfo& device, int block_threads, double registers);

/// Blocks of clusters that find room at once, with so many on a processor.
double resident_cluster_blocks(const DeviceInfo& device, int cluster, double per_processor);

/// What an activation costs, where SiLU is 1.
double activation_weight(Activation activation);

}  // namespace fastnorm::cuda
