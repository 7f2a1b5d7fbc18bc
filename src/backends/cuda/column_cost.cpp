#include "backends/cuda/column_cost_model.hpp"
#include "backends/cuda/cost_terms.hpp"
#include "backends/cuda/row_space.hpp"

#include <algorithm>
#include <cmath>

namespace fastnorm::cuda {
namespace {

constexpr double call_us = 5.4;
constexpr double further_kernel_us = 3.0;
constexpr double load_latency_us = 0.6;
constexpr double merge_us = 1.0;         // A block's, of its columns.
constexpr double slot_latency_us = 0.5;  // Of a read of others' slots.
constexpr double l2_speedup = 5.5;
constexpr double l2_share = 0.5;  // Of the L2 that x may fill between its two reads.
constexpr double two_reads_efficiency = 0.92;
constexpr double saturation = 3.0;
constexpr double values_in_flight = 4;  // Positions that a thread loads at a time.
constexpr double registers = 72;
constexpr double ragged_wave = 0.1;
constexpr double sector_bytes = 32;

// Of a stream.
constexpr double stream_call_us = 6;
constexpr double reset_us = 2.9;             // Filling its messages.
constexpr double exchange_us = 2.0;          // A tile's, in memory,
constexpr double cluster_exchange_us = 1.4;  // or in a cluster.
constexpr double round_of_groups_us = 0.6;   // As many groups as a block has warps.
constexpr double scattered_cost = 1.05;      // Positions that are copied one by one.
constexpr double value_cycles = 0.42;        // Of a processor, both passes, each element.

}  // namespace

double estimate_split_columns_us(const Problem& problem, const DeviceInfo& device,
                                 const ColumnWork& work) {
  const double element = static_cast<double>(size_of(problem.desc().x_type));
  const double moved = static_cast<double>(problem.moved_bytes());
  const double inputs = input_tensors(problem) * static_cast<double>(problem.x_bytes());
  const double resident = device.processors * blocks_per_processor(device, work.threads, registers);
  const double blocks = static_cast<double>(work.blocks);
  const double active = std::max(1.0, std::min(blocks, resident));
  const double busy = std::min<double>(active, device.processors);

  const double fits = l2_share * static_cast<double>(device.l2_bytes) / std::max(1.0, inputs);
  const double hits = fits >= 1 ? 1 : (work.cache.second_read == WalkOrder::backward ? fits : 0);
  const double cut_sectors =
      1 + sector_bytes / std::max(sector_bytes, double(work.tile_bytes)) * (work.tiles > 1 ? 1 : 0);
  const double traffic =
      (moved + inputs * (1 - hits + hits / l2_speedup)) * (work.tile_bytes < 64 ? cut_sectors : 1);

  const double threads = std::min<double>(
      work.threads, static_cast<double>(work.positions) / work.position_step * work.threads);
  const double in_flight = active / busy * threads * work.vec_width * values_in_flight * element;
  const double full = full_bandwidth(device) * two_reads_efficiency;
  const double demand = busy * std::min(full / device.processors * 2, in_flight / load_latency_us);
  const double waves = blocks / resident;
  const double ragged = waves <= 1 ? 1 : (waves + ragged_wave) / waves;
  const double memory_us = traffic / memory_rate(full, demand, saturation) * ragged;

  const double steps =
      std::ceil(static_cast<double>(work.positions) / (work.position_step * values_in_flight));
  const double group_threads = std::max(1.0, static_cast<double>(work.threads) / work.pieces);
  const double slots_us =
      slot_latency_us * std::ceil(work.parts / std::min(32.0, group_threads)) *
      std::ceil(std::max(1.0, work.pieces * std::min(32.0, group_threads) / work.threads));
  const double chain_us = 2 * steps * load_latency_us + merge_us + slots_us;
  return call_us + further_kernel_us + std::max(memory_us, std::max(1.0, waves) * chain_us) +
         slots_us;
}

double estimate_stream_columns_us(const Problem& problem, const DeviceInfo& device,
                                  const ColumnStreamWork& work) {
  const auto chunks = static_cast<double>(work.chunks);
  const auto rounds = static_cast<double>(work.rounds);
  const double held = static_cast<double>(work.held + work.cached);
  const double again = std::max(0.0, chunks - held) / chunks;
  const double inputs = input_tensors(problem) * static_cast<double>(problem.x_bytes());
  const double tile_bytes = work.tile * static_cast<double>(size_of(problem.desc().x_type));
  const double scattered =
      work.contiguous ? 1 : scattered_cost * (tile_bytes < 64 ? 64 / tile_bytes : 1);
  const double traffic = (static_cast<double>(problem.moved_bytes()) + again * inputs) * scattered;
  const double busy = std::min<double>(
      device.processors, static_cast<double>(work.blocks) / work.blocks_per_processor);
  const double reached = full_bandwidth(device) * std::min(1.0, busy / device.processors);
  const double ragged =
      rounds * static_cast<double>(work.teams) / std::max(1.0, static_cast<double>(work.units));
  const double memory_us = traffic / reached * ragged;
  const double elements = static_cast<double>(problem.elements());
  const double issue_us = elements * value_cycles *
                          (1 + activation_weight(problem.desc().epilogue.activation)) * ragged /
                          (busy * cycles_per_us);
  const double alone = work.blocks_per_tile == 1 ? 1 : 0;
  const bool in_cluster = work.exchange == Exchange::cluster;
  const double exchange =
      alone * 0.5 +
      (1 - alone) * ((in_cluster ? cluster_exchange_us : exchange_us) +
                     round_of_groups_us * std::ceil(double(work.pieces) / work.warps));
  // Another block of the processor, or tiles that load meanwhile, hide the exchanges but one.
  const double room = static_cast<double>(work.slots) / chunks;
  const double hidden =
      std::clamp(std::max(room - 1, work.blocks_per_processor > 1 ? 0.7 : 0.0), 0.0, 1.0);
  const double exchanges_us = exchange * (1 + (rounds - 1) * (1 - hidden));
  return stream_call_us + (alone > 0 || in_cluster ? 0 : reset_us) + std::max(memory_us, issue_us) +
         exchanges_us;
}

}  // namespace fastnorm::cuda
