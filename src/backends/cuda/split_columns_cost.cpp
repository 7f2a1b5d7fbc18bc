// SPDX-License-Identifier: Apache-2.0
// What two kernels take that read each part of a tile of columns one after the other.
#include "backends/cuda/column_cost_model.hpp"
#include "backends/cuda/column_cost_terms.hpp"
#include "backends/cuda/cost_terms.hpp"
#include "backends/cuda/row_space.hpp"

#include <algorithm>
#include <cmath>

namespace fastnorm::cuda {
namespace {

// Fitted to 10 to 30 configurations each of 24 workload cases. Of the 690, 480 are from when
// threads of half types had half as many loads in flight, and were fitted as that. Among the 210 of
// today's kernels, the one with the smallest estimate is 3% slower than the fastest measured
// (geometric mean of 21 cases; 27% at most); in cases left out of the fit of the constants, it is
// 3% too. Headroom, l2_speedup and slot_rate are at the ends of what the fit was allowed. Access
// priorities, single elements, fused forms and double are not in it.
constexpr double call_us = 3.4;            // A call that does next to nothing,
constexpr double further_kernel_us = 2.2;  // and one more kernel: its launch, ramp and drain.
constexpr double load_latency_us = 0.29;   // Of a load from memory, where others are under way,
constexpr double l2_latency_us = 0.34;     // and of a step of the second kernel, with its write.
constexpr double headroom = 3.0;           // One busy processor draws this much of its share.
constexpr double saturation = 2.4;
constexpr double l2_speedup = 1.2;      // What a read of x costs less where the L2 serves it.
constexpr double l2_share = 0.25;       // Of the L2 that x may fill between its two reads,
constexpr double l2_falloff = 0.385;    // and from which part of that on forwards reads hit.
constexpr double written_share = 0.37;  // Of y: the rest is still in the L2 at the end.
constexpr double burst_bytes = 64;      // Of a position, below which memory is read in pieces:
constexpr double cut_burst_cost = 0.33;
constexpr double merge_us = 1.9;           // The first kernel's barrier and merges, at least,
constexpr double column_merge_us = 0.082;  // each merge of a lane, of columns
constexpr double shuffle_us = 0.082;       // or of lanes,
constexpr double join_us = 0.95;           // the same of the second kernel,
constexpr double slot_us = 0.24;           // each merge of a slot,
constexpr double slot_rate = 8e6;          // and bytes of slots a microsecond that the L2 serves.
constexpr double warp_instructions = 187;
constexpr double merge_instructions = 5.4;  // Of a warp, each merge.
constexpr double value_instructions = 2.4;  // Of a warp, each element of a lane, either kernel,
constexpr double activation_instructions = 7.4;  // times activation_weight(),
constexpr double position_affine_cost = 1.4;     // and more where positions have gamma and beta.
constexpr double instructions_per_cycle = 3.4;

constexpr double least_lanes = 0.3;  // Of a warp, that count as having columns.
constexpr double sector_bytes = 32;
constexpr int many_values = 32;  // In flight: more registers.

/// Positions that a thread loads at a time.
double unroll(double vec_width, double element) {
  constexpr double bytes_in_flight = 64;
  constexpr double scalars = 4;
  return vec_width == 1 ? scalars : bytes_in_flight / (vec_width * element);
}

/// What one of the kernels has to do.
struct Phase {
  double registers = 0;
  double bytes = 0;         ///< In bytes of memory.
  double chain_us = 0;      ///< Of a block, what its loads cannot hide,
  double step_us = 0;       ///< and each step of these.
  double instructions = 0;  ///< Of a block, its warps'.
};

double phase_us(const DeviceInfo& device, const ColumnWork& work, double element,
                const Phase& phase) {
  const double blocks = std::max(1.0, static_cast<double>(work.blocks));
  const double threads = 32.0 * work.threads.warps();
  const double positions = std::max(1.0, static_cast<double>(work.positions));
  const double step = work.threads.position_warps * (32 >> work.threads.log2_lanes);
  const double at_once = unroll(work.vec_width, element);
  const double busiest = std::ceil(blocks / device.processors);  // Blocks of a processor.
  const double resident = blocks_per_processor(device, static_cast<int>(threads), phase.registers);
  const double waves = std::max(1.0, busiest / resident);

  const double loading = std::min(threads, positions * work.tile / work.vec_width) *
                         lanes_with_columns(work.threads, work.tile, work.vec_width);
  const double in_flight =
      std::min(busiest, resident) * loading * at_once * work.vec_width * element;
  const double full = full_bandwidth(device);
  const double rate = std::min(headroom * full / device.processors, in_flight / load_latency_us);
  const double memory_us = std::pow(std::pow(phase.bytes / full, saturation) +
                                        std::pow(phase.bytes / blocks * busiest / rate, saturation),
                                    1 / saturation);

  // Whole steps, and the rest position by position.
  const double steps = std::ceil(positions / step);
  const double whole = std::floor(steps / at_once);
  const double chain_us =
      waves * (phase.chain_us + phase.step_us * (whole + steps - whole * at_once));
  const double issue_us = busiest * phase.instructions / (instructions_per_cycle * cycles_per_us);
  return memory_us + chain_us + issue_us;
}

/// Tiles that a group meets, on average.
double tiles_of_group(const ColumnWork& work) {
  constexpr double cut_groups = 1.3;  // Where a few groups meet two tiles.
  if (work.tile % work.group_width == 0) return 1;
  if (work.tile >= work.group_width) return cut_groups;
  return static_cast<double>(work.group_width) / work.tile + 0.5;
}

/// Share of the second read that the L2 serves.
double second_read_hits(const ColumnWork& work, double fits) {
  // Forwards, what is wanted first was read first and is gone.
  const double forward = std::clamp((fits - 1) / l2_falloff + 1, 0.0, 1.0);
  return work.cache.second_read == WalkOrder::backward ? std::max(forward, std::min(1.0, fits))
                                                       : forward;
}

}  // namespace

double estimate_split_columns_us(const Problem& problem, const DeviceInfo& device,
                                 const ColumnWork& work) {
  const double element = static_cast<double>(size_of(problem.desc().x_type));
  const double inputs = input_tensors(problem) * static_cast<double>(problem.x_bytes());
  const double outputs = static_cast<double>(problem.moved_bytes()) - inputs;
  const double blocks = std::max(1.0, static_cast<double>(work.blocks));
  const double warps = work.threads.warps();
  const double hits = second_read_hits(
      work, l2_share * static_cast<double>(device.l2_bytes) / std::max(1.0, inputs));
  const double cut =
      1 + (work.tiles > 1 ? cut_burst_cost * burst_bytes / (work.tile * element) : 0);
  const bool many = unroll(work.vec_width, element) * work.vec_width >= many_values;
  const double lanes =
      std::max(least_lanes, lanes_with_columns(work.threads, work.tile, work.vec_width));
  const double values = static_cast<double>(problem.elements()) / blocks / 32 / lanes;

  const double merges = merges_of_columns(work.threads, work.pieces, work.tile, work.group_width);
  Phase statistics;
  statistics.registers = many ? 96 : 64;
  statistics.bytes = inputs * cut;
  statistics.chain_us = merge_us + column_merge_us * merges +
                        shuffle_us * levels_of_lanes(work.threads) * work.vec_width;
  statistics.step_us = load_latency_us;
  statistics.instructions =
      values * value_instructions + warps * (warp_instructions + merges * merge_instructions);

  const double slots = work.parts * tiles_of_group(work);  // Of a group.
  const int group_lanes = 1 << work.threads.log2_group_lanes;
  const double joins = rounds_of_pieces(work.threads, work.pieces) * tiles_of_group(work) *
                       std::ceil(static_cast<double>(work.parts) / group_lanes);
  const double affine = work.affine == AffineAxis::position ? 1 + position_affine_cost : 1;
  Phase apply;
  apply.registers = many ? 112 : 64;
  apply.bytes = (inputs * (1 - hits + hits / l2_speedup) + outputs * written_share) * cut;
  apply.chain_us = join_us + slot_us * joins;
  apply.step_us = l2_latency_us;
  apply.instructions =
      values * (value_instructions * affine +
                activation_instructions * activation_weight(problem.desc().epilogue.activation)) +
      warps * (warp_instructions + joins * merge_instructions);

  // Neighbouring lanes read neighbouring slots, or one of a sector each.
  const double slot_bytes = problem.accumulation_type() == DType::f64 ? 32 : 16;
  const double read_bytes = group_lanes == 32 ? sector_bytes : slot_bytes;
  const double slots_us = blocks * work.pieces * slots * read_bytes / slot_rate;
  return call_us + further_kernel_us + phase_us(device, work, element, statistics) +
         phase_us(device, work, element, apply) + slots_us;
}

}  // namespace fastnorm::cuda
