// SPDX-License-Identifier: Apache-2.0
// What a stream of tiles of columns takes: each is loaded while its moments are taken, exchanged,
// and written.
#include "backends/cuda/column_cost_model.hpp"
#include "backends/cuda/column_cost_terms.hpp"
#include "backends/cuda/column_space.hpp"
#include "backends/cuda/cost_terms.hpp"
#include "backends/cuda/messages.hpp"
#include "backends/cuda/row_space.hpp"
#include "backends/cuda/stream_columns_kernel.hpp"

#include <algorithm>
#include <cmath>

namespace fastnorm::cuda {
namespace {

// Fitted to the recorded configurations of 25 workload cases, 966 in all, whose L2 was cold. Of
// each case's, the one with the smallest estimate is 2% slower than the fastest measured (geometric
// mean; 10% at most). Estimates of those within half of the fastest are off by 10% (root mean
// square). In cases left out of a fit, errors fall, too, but choices are no better than by the
// constants before. most_scattered, burst_bytes, copy_bytes, copy_us, alone_us,
// instructions_per_cycle and the shares of the processors are from an earlier fit to 685
// configurations, most_scattered and copy_us given; turn_us was chosen by hand, with 0.6 and 1.6
// either of two cases choosing worse. Access priorities, fused forms and double are not in it.
constexpr double call_us = 5.3;          // With its barriers.
constexpr double reset_us = 2.0;         // Filling its messages, where they are few.
constexpr double load_latency_us = 0.6;  // Before the first chunk has come.
constexpr double headroom = 2.5;         // One busy processor draws this much of its share.
constexpr double saturation = 4.0;
constexpr double scattered_cost = 1.5;  // Of positions' slices that are as long as a burst of
constexpr double burst_bytes = 64;      // memory, with nothing beside them at the time;
constexpr double most_scattered = 4;    // and no more than so many times that, of shorter ones.
constexpr double copy_bytes = 512;      // and each access of a warp takes the one that
constexpr double copy_us = 0.012;       // loads.
constexpr double cached_cost = 0.47;    // Of a chunk that is loaded again from the L2.
constexpr double moments_instructions = 1.5;  // Of a warp, each element of a lane,
constexpr double write_instructions = 12.3;
constexpr double activation_instructions = 3.7;        // times activation_weight(),
constexpr double position_affine_instructions = 18.4;  // where each position has gamma and beta.
constexpr double instructions_per_cycle = 4.0;         // Of a processor with many warps,
constexpr double warp_instructions_per_cycle = 0.56;   // and of each of a few.
constexpr double chunk_us = 0.69;                      // Of a warp, each pass: it waits for a slot.
constexpr double lesser_share = 0.11;  // Of memory's time or the instructions', the lesser's that
                                       // is not hidden.
constexpr double exchange_us = 1.6;    // A tile's, in memory,
constexpr double cluster_exchange_us = 1.9;  // or in a cluster, with its start,
constexpr double alone_us = 0.3;             // or in a block's shared memory.
constexpr double receive_us = 0.63;          // Of a warp, each group that it merges in memory,
constexpr double senders_us = 0.037;         // each 32 messages of it,
constexpr double cluster_receive_us = 0.3;   // and in a cluster,
constexpr double cluster_send_us = 0.06;     // with each block that it sends to.
constexpr double turn_us = 0.9;              // Each further tile, in memory: loads and writes of
                                             // others are in its messages' way, and blocks that
                                             // are late make all of their team late.
constexpr double column_merge_us = 0.18;     // Each merge of a lane, of columns
constexpr double shuffle_us = 0.26;          // or of lanes.
constexpr double room_overlap = 0.92;        // Of two tiles, where a block has room for both,
constexpr double blocks_overlap = 0.28;      // or a processor has several blocks.
constexpr double whole_clusters = 0.88;      // Processors for clusters of 4 and more whose blocks
                                             // take one each, or of 16;
constexpr double shared_clusters = 0.97;     // and for others of 4 and more.

/// Share of the processors that a grid can fill.
double usable_processors(const ColumnStreamWork& work) {
  if (work.exchange != Exchange::cluster || work.blocks_per_tile < 4) return 1;
  return work.blocks_per_processor == 1 || work.blocks_per_tile >= 16 ? whole_clusters
                                                                      : shared_clusters;
}

/// From a tile's moments to all of its groups' statistics.
double exchange_of_tile_us(const ColumnStreamWork& work, int columns, int vec_width) {
  const double warps = column_exchange_warps;
  const double team = work.blocks_per_tile;
  const double merges_us =
      shuffle_us * levels_of_lanes(work.statistics) * vec_width +
      column_merge_us * merges_of_columns(work.statistics, work.pieces, columns, work.group_width);
  if (work.blocks_per_tile == 1) return merges_us + alone_us;
  if (work.exchange == Exchange::cluster) {
    return merges_us + cluster_exchange_us + cluster_receive_us * std::ceil(work.pieces / warps) +
           cluster_send_us * team * rounds_of_pieces(work.statistics, work.pieces);
  }
  // One block of the team merges a group, and all of them read the results, a thread each.
  const double merges = std::ceil(std::ceil(work.pieces / team) / warps);
  const double further_results = std::ceil(work.pieces / (32 * warps)) - 1;
  return merges_us + exchange_us + merges * (receive_us + senders_us * team / 32) +
         further_results * receive_us;
}

/// Of two things that take turns: the lesser's time is hidden in part.
double overlapped(double a, double b) { return std::max(a, b) + lesser_share * std::min(a, b); }

}  // namespace

double estimate_stream_columns_us(const Problem& problem, const DeviceInfo& device,
                                  const ColumnStreamWork& work) {
  const DType type = problem.desc().x_type;
  const double element = static_cast<double>(size_of(type));
  const int vec_width = column_vec_width(type);
  const double inputs = input_tensors(problem) * static_cast<double>(problem.x_bytes());
  const double outputs = static_cast<double>(problem.moved_bytes()) - inputs;
  const double x_bytes = std::max(1.0, static_cast<double>(problem.x_bytes()));
  const double team = work.blocks_per_tile;
  const auto chunks = std::max(1.0, static_cast<double>(work.chunks));
  const auto slots = static_cast<double>(work.slots);
  const auto chunk_positions = static_cast<double>(work.chunk_positions);

  // How the tiles lie over the device. All blocks of a round do the same at the same time.
  const double places = device.processors * work.blocks_per_processor * usable_processors(work);
  const double teams =
      std::max(1.0, std::min(static_cast<double>(work.teams), std::floor(places / team)));
  const double rounds = std::ceil(static_cast<double>(work.units) / teams);
  const double blocks = teams * team;
  const double busiest = std::ceil(blocks / device.processors);  // Blocks of a processor.

  // Of a block and a tile.
  const double positions = std::min(chunks * chunk_positions, static_cast<double>(work.positions));
  const double tile_bytes = work.tile * element;
  const double read = positions * tile_bytes * input_tensors(problem);
  const double written = positions * tile_bytes * outputs / x_bytes;
  const double full = full_bandwidth(device);
  const double in_flight =
      busiest * std::min(slots, chunks) * chunk_positions * tile_bytes * input_tensors(problem);
  const double rate = std::min(headroom * full / device.processors, in_flight / load_latency_us);
  const auto memory_us = [&](double bytes) {
    return std::pow(
        std::pow(bytes * blocks / full, saturation) + std::pow(bytes * busiest / rate, saturation),
        1 / saturation);
  };
  // Teams whose tiles are beside each other read and write what is beside each other.
  const double together = tile_bytes * std::min(teams, static_cast<double>(work.tiles));
  const double scattered =
      1 + (work.contiguous
               ? 0
               : scattered_cost * std::min(most_scattered, std::pow(burst_bytes / together, 2)));
  const double copies_us = work.loaders == 1 ? 0
                                             : positions * tile_bytes / copy_bytes * busiest *
                                                   input_tensors(problem) * copy_us / work.loaders;
  const double load_us = std::max(memory_us(read * scattered), copies_us) + load_latency_us;

  // What neither the chip nor the L2 holds is read from memory again.
  const double again = std::max(0.0, chunks - static_cast<double>(work.held));
  const double cached = std::min(again, static_cast<double>(work.cached));
  const double again_bytes = read * (again - cached + cached * cached_cost) / chunks * scattered;
  const double again_us = std::max(memory_us(again_bytes), copies_us * again / chunks);

  // Lanes without a column, positions that leave lanes idle, and warps with a chunk less.
  const double warp_positions = 32 >> work.output.log2_lanes;
  const double idle = std::ceil(chunk_positions / warp_positions) * warp_positions /
                      chunk_positions / lanes_with_columns(work.output, work.tile, vec_width);
  const auto task_us = [&](const ColumnThreads& threads, double instructions) {
    const double chunks_of_warp = std::ceil(chunks / threads.position_warps);
    const double uneven = chunks_of_warp * threads.position_warps / chunks;
    const double issued = 1 / (1 / instructions_per_cycle +
                               1 / (warp_instructions_per_cycle * busiest * threads.warps()));
    return busiest * positions * work.tile / 32 * idle * uneven * instructions /
               (issued * cycles_per_us) +
           chunks_of_warp * chunk_us;
  };
  const double moments_us = task_us(work.statistics, moments_instructions);
  const double affine = work.affine == AffineAxis::position ? position_affine_instructions : 0;
  const double output_us =
      task_us(work.output,
              write_instructions + affine +
                  activation_instructions * activation_weight(problem.desc().epilogue.activation));

  const double first_pass = overlapped(load_us, moments_us);
  const double second_pass = overlapped(memory_us(written * scattered) + again_us, output_us);
  const double exchange = exchange_of_tile_us(work, work.tile, vec_width);
  const double tile_us = first_pass + exchange + second_pass;
  // Further tiles are loaded meanwhile; but neither memory nor the processors do two things at
  // once.
  const double room = std::clamp((slots - chunks) / chunks, 0.0, 1.0);
  const double overlap = room_overlap * room + (busiest > 1 ? blocks_overlap : 0);
  const double least =
      std::max({moments_us, output_us, memory_us((read + written) * scattered) + again_us});
  const bool by_messages = work.blocks_per_tile > 1 && work.exchange == Exchange::memory;
  const double further_us =
      std::max(least, tile_us - overlap * (std::min(first_pass, second_pass) + exchange)) +
      (by_messages ? turn_us : 0);
  const double message_us = static_cast<double>(work.units) * work.pieces *
                            (work.blocks_per_tile + 1) * message_bytes / full_bandwidth(device);
  return call_us + (by_messages ? reset_us + message_us : 0) + tile_us + (rounds - 1) * further_us;
}

}  // namespace fastnorm::cuda
