// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/resident_columns_cost.hpp"

#include "backends/cuda/cost_terms.hpp"
#include "backends/cuda/row_space.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace fastnorm::cuda {
namespace {

// The call's, the loads', the clusters' and the threads' constants are fitted to 883 recorded
// configurations of 20 workload cases, whose L2 was cold, the others to 640 earlier ones. Of each
// case's, the one with the smallest estimate is 3% slower than the fastest measured (geometric
// mean; 10% at most). In cases left out of a fit, errors fall, too, but choices are no better than
// by the constants before.
constexpr double call_us = 2.7;
constexpr double load_latency_us = 0.24;   // From a block's start to the last of its loads.
constexpr double merge_us = 0.15;          // What the block's two barriers wait for.
constexpr double cluster_us = 1.1;         // Two rounds of a cluster's barrier,
constexpr double cluster_block_us = 0.05;  // and each block's messages.
constexpr double headroom = 1.7;           // One processor draws little more than its share.
constexpr double saturation = 8;
constexpr double last_wave = 0.48;  // Of a block's time, where not all begin at once.
constexpr double whole_access_bytes = 120;
constexpr double scattered_cost = 0.7;
constexpr double sector_bytes = 32;
constexpr double cut_sector_cost =
    3;  // Of tiles that share sectors: read twice, written in pieces.
constexpr double value_instructions = 16.5;
constexpr double activation_instructions = 8.2;
constexpr double thread_instructions = 241;
constexpr double half_value_instructions = 16;
constexpr double cycles_per_instruction = 2.9;  // Of one warp, which waits for itself.
constexpr double instructions_per_cycle = 2.7;  // Of a processor.

/// Of a thread, as the kernels bound them.
double registers_of(const Problem& problem, const ResidentColumnsConfig& config) {
  const int words =
      config.vec_width * config.unroll * static_cast<int>(size_of(problem.desc().x_type)) / 4;
  if (problem.desc().x_type == DType::f64 || words > 40) return 128;
  if (words > 32) return form_of_call(problem) == RowForm::plain ? 96 : 128;
  if (words > 16) return form_of_call(problem) == RowForm::plain ? 80 : 96;
  return words > 8 ? 72 : 64;
}

/// Share of the sectors that a position's columns touch beyond what they fill, wherever a tile may
/// begin.
double cut_sectors(int tile_bytes) {
  const int common = std::gcd(tile_bytes, static_cast<int>(sector_bytes));
  return (sector_bytes - common) / tile_bytes;
}

}  // namespace

double estimate_resident_columns_us(const Problem& problem, const DeviceInfo& device,
                                    const ResidentColumnsConfig& config,
                                    const ResidentColumnsWork& work) {
  const auto moved = static_cast<double>(problem.moved_bytes());
  const double blocks = std::max(1.0, static_cast<double>(work.blocks));
  const double resident = resident_cluster_blocks(
      device, config.cluster,
      blocks_per_processor(device, config.threads, registers_of(problem, config)));
  const double active = std::min(blocks, resident);
  const double busy = std::min<double>(active, device.processors);

  // A thread's values cost it much the same whether they are there or not.
  const bool half = size_of(problem.desc().x_type) == 2;
  const double values = static_cast<double>(config.vec_width) * config.unroll;
  const double of_value =
      (half ? half_value_instructions : value_instructions) +
      activation_instructions * activation_weight(problem.desc().epilogue.activation);
  const double of_thread = thread_instructions + values * of_value * (1 + work.held) / 2;
  const double turn_us = load_latency_us + of_thread * cycles_per_instruction / cycles_per_us +
                         (work.groups_are_warps ? 0 : merge_us) +
                         (config.cluster > 1 ? cluster_us + cluster_block_us * config.cluster : 0);
  const double full = full_bandwidth(device);
  const double demand =
      std::min(full / device.processors * headroom * busy, active * (moved / blocks) / turn_us);
  const double scattered =
      1 + scattered_cost * std::max(0.0, whole_access_bytes / work.tile_bytes - 1) +
      (work.alone ? 0 : cut_sector_cost * cut_sectors(work.tile_bytes));
  const double memory_us =
      demand > 0 ? moved / memory_rate(full, demand, saturation) * scattered : 0;

  const double issue_us = blocks * (config.threads / 32.0) * of_thread / busy /
                          (instructions_per_cycle * cycles_per_us);
  // Whichever takes longer hides most of the other.
  const double moving_us = std::pow(std::pow(memory_us, 4) + std::pow(issue_us, 4), 0.25);
  // Blocks read, meet and write at the same time as their neighbours do, so that memory waits for
  // what else a block does; for the blocks that began last, once more.
  return call_us + moving_us + (blocks <= resident ? 1 : 1 + last_wave) * turn_us;
}

}  // namespace fastnorm::cuda
