// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/cost_terms.hpp"

#include <algorithm>
#include <cmath>

namespace fastnorm::cuda {

double full_bandwidth(const DeviceInfo& device) {
  constexpr double usable = 0.95;
  constexpr double where_unknown_gb_s = 1000;
  const double gb_s =
      device.memory_gb_s > 0 ? static_cast<double>(device.memory_gb_s) : where_unknown_gb_s;
  return gb_s * 1e3 * usable;
}

double memory_rate(double full, double demand, double sharpness) {
  return demand / std::pow(1 + std::pow(demand / full, sharpness), 1 / sharpness);
}

double blocks_per_processor(const DeviceInfo& device, int block_threads, double registers) {
  // A warp's registers are all in one of the processor's four partitions.
  constexpr int partitions = 4;
  constexpr int warp_lanes = 32;
  const double of_partition = static_cast<double>(device.registers_per_processor) / partitions;
  const double warps =
      std::min<double>(device.max_threads_per_processor / warp_lanes,
                       partitions * std::floor(of_partition / warp_lanes / registers));
  return std::clamp(std::floor(warps * warp_lanes / block_threads), 1.0,
                    std::max(1.0, static_cast<double>(device.max_blocks_per_processor)));
}

double resident_cluster_blocks(const DeviceInfo& device, int cluster, double per_processor) {
  // A cluster lies within one group of processors (GPC). Dies differ in how many processors of a
  // group work; of an H200's 132, seven groups have 16 or 18, and half of what is beyond seven
  // times 16 is in an eighth.
  constexpr int of_group = 16;
  constexpr int of_large_group = 18;
  // Beside others on the same processors, clusters are not placed as densely as they might be.
  constexpr double placed = 0.95;
  if (cluster <= 2) return device.processors * per_processor;
  const int groups = device.processors / of_large_group;
  const int rest = device.processors - groups * of_group;
  const int large = std::min(groups, rest / 2 / (of_large_group - of_group));
  const int last = rest - large * (of_large_group - of_group);
  const auto clusters_of = [&](int processors) {
    return std::floor(processors * per_processor / cluster);
  };
  const double clusters = (groups - large) * clusters_of(of_group) +
                          large * clusters_of(of_large_group) + clusters_of(last);
  return cluster * std::max(1.0, per_processor > 1 ? std::floor(placed * clusters) : clusters);
}

double activation_weight(Activation activation) {
  switch (activation) {
    case Activation::none:
      return 0;
    case Activation::relu:
    case Activation::leaky_relu:
    case Activation::clamp:
      return 0.25;
    case Activation::hardswish:
      return 0.5;
    case Activation::gelu_tanh:
      return 1.8;
    case Activation::gelu:
    case Activation::silu:
    case Activation::elu:
    case Activation::tanh:
      break;
  }
  return 1;
}

}  // namespace fastnorm::cuda
