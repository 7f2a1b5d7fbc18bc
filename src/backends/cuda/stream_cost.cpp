// SPDX-License-Identifier: Apache-2.0
// What a stream takes, whose blocks' warps have one task each.
#include "backends/cuda/cost_terms.hpp"
#include "backends/cuda/row_cost_model.hpp"
#include "backends/cuda/row_space.hpp"
#include "backends/cuda/stream_row_kernel.hpp"

#include <algorithm>
#include <cmath>

namespace fastnorm::cuda {
namespace {

// Fitted to the recorded configurations of 92 workload cases, mostly some hundred each: the one
// with the smallest estimate is 5% slower than the fastest measured (geometric mean; 4% where this
// strategy is chosen). cluster_gain, cluster_exchange_us, ample_room, slots_of_group,
// released_cost, single_group_cost, few_writers_cost, write_half_tile_us and moments_chunk_us are
// from a later recording, whose L2 was cold, and were chosen for what it says of the choices
// themselves. In thirds of its cases that were left out of a fit of these nine, errors fell from 16
// to 15% (root mean square) and choices were no better. They say nothing of fused forms, whose
// constant is from a dozen measurements.
constexpr double call_us = 7.21;              // With its barriers, and the way through its ring.
constexpr double reset_us = 0.82;             // Filling its messages.
constexpr double exchange_us = 1.6;           // A row's, in memory,
constexpr double cluster_exchange_us = 1.89;  // or in a cluster: the least it takes.
constexpr double neighbours_cost = 0.97;      // Each element's own gamma and beta, from the L2.
constexpr double fill_share = 0.0097;         // Of a round, in which reads or writes are alone.
constexpr double stall_cost = 0.24;  // With little room beside the rows under way, loads wait.
constexpr double ample_room = 2.49;  // Rows that a block should hold.
constexpr double slots_in_transit = 2.56;  // That are being loaded or about to be written,
constexpr double slots_of_group = 0.58;    // and for each group of writers: they hold no more of x.
constexpr double again_cost = 0.17;        // Where a row is loaded again in part.
constexpr double released_cost = 0.13;     // Where it is though there is room, times that part.
constexpr double cluster_gain = 0.91;      // Of memory's time: in a cluster blocks neither poll nor
                                           // wait for messages behind loads and writes.
constexpr double fused_cost = 1.3;        // Fewer warps, and more to decide, where a form is fused.
constexpr std::int64_t large_team = 100;  // From so many blocks on,
constexpr double large_team_order = 0.094;  // writing in one strip is cheaper: each doubling;
constexpr double single_group_cost = 0.38;  // below, all of a group's warps wait at a chunk's end
constexpr double group_exponent = 2.51;     // where there is no other that writes meanwhile.
constexpr double few_writers_cost = 0.05;   // Of an activation, where the crew is not the full one.
// Microseconds of a warp.
constexpr int write_tile_vectors = 32 * stream_tile;
constexpr double write_tile_us = 0.27;
constexpr double write_half_tile_us = 0.3;
constexpr double activation_us = 1.87;       // Added to 1, times activation_weight(): half types,
constexpr double wide_activation_us = 0.87;  // whose tiles have twice the elements, and others.
constexpr double lookup_us = 0.004;          // Of a tile's channels, where a chunk has several.
constexpr double neighbours_us = 0.082;      // Each element has its own,
constexpr double short_channels_us = 0.96;   // or channels are shorter than a tile.
constexpr double chunk_us = 0.064;
constexpr int moments_tile_vectors = 128;
constexpr double moments_tile_us = 0.18;
constexpr double moments_half_tile_us = 0.3;
constexpr double moments_chunk_us = 0.37;

double ceil_ratio(double a, double b) { return std::ceil(a / b); }

/// Of one block's warps, each of which writes its part of every apply_groups-th chunk.
double write_us(const Problem& problem, const StreamWork& work) {
  const bool half = size_of(problem.desc().x_type) == 2;
  const std::int64_t inner = problem.affine().inner;
  const std::int64_t vec = full_vec_width(problem.desc().x_type);
  const double activation = (half ? activation_us : wide_activation_us) *
                            activation_weight(problem.desc().epilogue.activation);
  double tile_us = (half ? write_half_tile_us : write_tile_us) * (1 + activation);
  if (inner == 1) {
    tile_us += neighbours_us;
  } else if (inner < write_tile_vectors * vec) {
    tile_us += short_channels_us;
  } else if (inner < work.slot_vectors * vec) {
    tile_us += lookup_us;
  }
  const double group_warps = static_cast<double>(work.apply_warps) / work.apply_groups;
  const double tiles = ceil_ratio(ceil_ratio(work.slot_vectors, write_tile_vectors), group_warps);
  return (tiles * tile_us + chunk_us) / work.apply_groups;
}

double moments_us(const Problem& problem, const StreamWork& work) {
  const bool half = size_of(problem.desc().x_type) == 2;
  const double tiles =
      ceil_ratio(ceil_ratio(work.slot_vectors, moments_tile_vectors), work.statistics_warps);
  return tiles * (half ? moments_half_tile_us : moments_tile_us) + moments_chunk_us;
}

/// What an activation costs beside the memory's time where few warps write.
double crew_cost(const Problem& problem, const StreamWork& work) {
  constexpr double full_crew = 12;
  if (problem.desc().epilogue.activation == Activation::none) return 1;
  return 1 + few_writers_cost * (full_crew / work.apply_warps - 1);
}

/// What the number of groups of writers costs.
double order_cost(const StreamWork& work) {
  if (work.blocks_per_row >= large_team) return 1 + large_team_order * std::log2(work.apply_groups);
  return 1 + single_group_cost / std::pow(work.apply_groups, group_exponent);
}

}  // namespace

double estimate_stream_us(const Problem& problem, const DeviceInfo& device,
                          const StreamWork& work) {
  const auto chunks = static_cast<double>(work.chunks);
  const auto slots = static_cast<double>(work.slots);
  const auto rounds = static_cast<double>(work.rounds);
  const auto blocks = static_cast<double>(work.teams * work.blocks_per_row);
  // What neither the chip nor the L2 holds is read from memory again.
  const auto held = static_cast<double>(work.held);
  const double again = std::max(0.0, chunks - held - static_cast<double>(work.cached)) / chunks;
  const double inputs = input_tensors(problem) * static_cast<double>(problem.x_bytes());
  double traffic = static_cast<double>(problem.moved_bytes()) + again * inputs;
  if (problem.affine().inner == 1) {
    traffic += neighbours_cost * static_cast<double>(problem.x_bytes());
  }
  const double reached = full_bandwidth(device) * std::min(1.0, blocks / device.processors);
  const double ragged =
      rounds * static_cast<double>(work.teams) / std::max(1.0, static_cast<double>(problem.rows()));
  double stall = 1 + again_cost;
  if (slots >= chunks) {
    const double room = (slots - slots_in_transit - slots_of_group * work.apply_groups) / chunks;
    stall = 1 + stall_cost * std::pow(std::max(0.0, ample_room - std::max(0.0, room)), 2);
  }
  stall += released_cost * (std::min(slots, chunks) - held) / chunks;
  const bool in_cluster = work.blocks_per_row > 1 && work.exchange == Exchange::cluster;
  const double memory_us = traffic / reached * stall * order_cost(work) * crew_cost(problem, work) *
                           ragged * (in_cluster ? cluster_gain : 1);
  const double chunk_bound_us = std::max(write_us(problem, work), moments_us(problem, work));
  const double form_cost = row_form(problem) == RowForm::fused ? fused_cost : 1;
  const double rows_us = std::max(memory_us, rounds * chunks * chunk_bound_us) * form_cost;
  const double fill_us = fill_share * memory_us / std::max(1.0, rounds) / std::max(1.0, ragged);
  if (work.blocks_per_row == 1) return call_us + rows_us + fill_us;
  const double round_us = in_cluster ? cluster_exchange_us : exchange_us;
  return call_us + (in_cluster ? 0 : reset_us) + round_us + std::max(rows_us, rounds * round_us) +
         fill_us;
}

}  // namespace fastnorm::cuda
