#include "backends/cuda/row_cost_model.hpp"

#include <algorithm>
#include <cmath>

namespace fastnorm::cuda {
namespace {

// Fitted on one H200: those of two reads to exhaustive measurements of 48 shapes, those of one read
// to some thirty configurations each of the workload cases, of which the one with the smallest
// estimate is 9% slower than the fastest (geometric mean). Each constant is of the size that its
// meaning suggests, so other GPUs of the last generations should not be far off.
constexpr double call_us = 5.4;             // A call that does next to nothing.
constexpr double further_kernel_us = 4.0;   // One more kernel: its launch, ramp and drain.
constexpr double load_latency_us = 0.5;     // Memory, under load.
constexpr double reduction_us = 1.4;        // A block's merge: barriers and shuffles.
constexpr double l2_speedup = 5.5;          // What a read of x costs less where the L2 serves it.
constexpr double l2_share = 0.3;            // Of the L2 that x may fill between its two reads.
constexpr double streamed_l2_gain = 1.15;   // Output lines that leave early leave room for x.
constexpr double kept_output_cost = 0.1;    // Written lines that linger cost some of x's reads.
constexpr double usable_bandwidth = 0.95;   // Of the theoretical one.
constexpr double processor_headroom = 2.9;  // One busy processor can draw this much of its share.
constexpr double saturation = 3.0;          // How sharply demand meets the bandwidth.
constexpr double wide_tile_cost =
    1.15;                              // 32 values a thread: too few threads fit beside each other.
constexpr double lesser_terms = 0.21;  // How much of the terms that do not bound is not hidden.
constexpr double ragged_wave = 0.1;    // Idle part of the last wave.
constexpr double stream_headroom = 1.05;  // A stream's processor draws little more than its share.
constexpr double stream_stall = 0.16;     // A stream that holds hardly more than one row.
constexpr double stream_order_cost = 1.2;
constexpr std::int64_t stream_large_team = 40;
constexpr double stream_start_us = 1.3;      // Its barriers, and the way through its ring.
constexpr double reset_us = 2.5;             // Filling its messages.
constexpr double exchange_us = 2.0;          // A row's messages, and no row overtakes another.
constexpr double cluster_exchange_us = 1.8;  // The same within a cluster.
constexpr double cycles_per_us = 1750;
constexpr double instructions_per_cycle = 2.2;
// Of the strategies that read once.
constexpr double resident_instructions = 50;  // Of a warp, beside its vectors.
constexpr double whole_access_bytes = 64;
constexpr double scattered_cost = 0.35;
constexpr double block_start_us = 0.07;         // From a block's end to the next one's loads.
constexpr double merge_instructions = 400;      // Of a warp, each kernel.
constexpr double vector_instructions = 20;      // Of a warp, each vector, both reads.
constexpr double once_vector_instructions = 7;  // The same where x is read once,
constexpr double once_value_instructions = 18;  // with what their latency costs.
constexpr double value_instructions = 7;        // Of a warp, each of the vector's values.

double blocks_per_processor(const DeviceInfo& device, int block_threads, double registers) {
  const double threads =
      std::min<double>(device.max_threads_per_processor,
                       static_cast<double>(device.registers_per_processor) / registers);
  return std::clamp(std::floor(threads / block_threads), 1.0,
                    std::max(1.0, static_cast<double>(device.max_blocks_per_processor)));
}

double blocks_per_processor(const DeviceInfo& device, const RowConfig& config) {
  // More than the compiler's count: what lets fewer threads run beside each other grows with it.
  const double registers = std::ceil((21.0 + 6.3 * config.vec_width * config.unroll) / 8) * 8;
  return blocks_per_processor(device, config.threads, registers);
}

/// Of memory, in bytes a microsecond, or what is left of it where `demand` asks for less.
double memory_rate(double full, double demand) {
  return demand / std::pow(1 + std::pow(demand / full, saturation), 1 / saturation);
}

double full_bandwidth(const DeviceInfo& device) {
  return (device.memory_gb_s > 0 ? static_cast<double>(device.memory_gb_s) : 1000.0) * 1e3 *
         usable_bandwidth;
}

/// Share of the second read that the L2 serves, with so many bytes of x between the two reads.
double second_read_hits(const RowConfig& config, double bytes_between, double l2_bytes) {
  const double fits = l2_share * l2_bytes / std::max(1.0, bytes_between);
  if (fits >= 1) return 1;
  // Forwards, what is wanted first was read first and is gone.
  if (config.second_read == WalkOrder::forward) return 0;
  return std::min(1.0,
                  fits * (config.store == StorePriority::evict_first ? streamed_l2_gain : 1.0));
}

}  // namespace

double estimate_two_reads_us(const Problem& problem, const DeviceInfo& device,
                             const RowConfig& config, const RowWork& work) {
  const double element = static_cast<double>(size_of(problem.desc().x_type));
  const double x_bytes = static_cast<double>(problem.x_bytes());
  const double both_bytes = x_bytes + static_cast<double>(problem.y_bytes());
  const double l2_bytes = static_cast<double>(device.l2_bytes);
  const double blocks = static_cast<double>(work.blocks);
  const double block_len = static_cast<double>(work.block_len);
  const double resident = device.processors * blocks_per_processor(device, config);
  const double active = std::max(1.0, std::min(blocks, resident));
  const double busy = std::min<double>(active, device.processors);
  const double waves = blocks / resident;
  const double values = static_cast<double>(config.vec_width * config.unroll);

  // Bytes from memory, the second read counted by what the L2 does not serve.
  const double between = work.kernels > 1 ? x_bytes : active * block_len * element;
  const double hits = second_read_hits(config, between, l2_bytes);
  double traffic = both_bytes + x_bytes * (1 - hits + hits / l2_speedup);
  if (config.store == StorePriority::normal && both_bytes > l2_bytes) {
    traffic += kept_output_cost * x_bytes;
  }

  // Bandwidth of the processors at work: by their number, and by the bytes they keep in flight.
  const double full = full_bandwidth(device);
  const double threads =
      std::min<double>(config.threads, std::max(1.0, block_len / config.vec_width));
  const double in_flight = active / busy * threads * values * element;
  const double demand =
      busy * std::min(full / device.processors * processor_headroom, in_flight / load_latency_us);
  const double reached = memory_rate(full, demand);
  const double ragged = waves <= 1 ? 1 : (waves + ragged_wave) / waves;
  const double memory_us = traffic / reached * ragged * (values >= 32 ? wide_tile_cost : 1.0);

  // A block's own chain of dependent loads, once a wave.
  const double tiles = std::ceil(block_len / (config.threads * values));
  const double latency_us = std::max(1.0, waves) * (2 * tiles * load_latency_us + reduction_us);

  // Instructions: short rows are bound by the merges.
  const double warps = config.threads / 32.0;
  const double instructions =
      blocks * warps *
      (merge_instructions * work.kernels +
       tiles * config.unroll * (vector_instructions + value_instructions * config.vec_width));
  const double issue_us = instructions / busy / (instructions_per_cycle * cycles_per_us);

  const double bound = std::max({memory_us, latency_us, issue_us});
  const double rest = memory_us + latency_us + issue_us - bound;
  return call_us + (work.kernels - 1) * further_kernel_us + work.extra_us + bound +
         lesser_terms * rest;
}

double estimate_one_read_us(const Problem& problem, const DeviceInfo& device,
                            const ResidentConfig& config, const ResidentWork& work) {
  const double moved = static_cast<double>(problem.moved_bytes());
  const double blocks = std::max(1.0, static_cast<double>(work.blocks));
  const double processors = std::max(1.0, std::floor(device.processors * work.usable_processors));
  const double registers = std::ceil((40.0 + 6.0 * config.unroll) / 8) * 8;
  const double resident = processors * blocks_per_processor(device, config.threads, registers);
  const double active = std::max(1.0, std::min(blocks, resident));
  const double busy = std::min(active, processors);
  const double waves = blocks / resident;

  // A block loads, reduces and stores, and is replaced; others keep the memory busy meanwhile.
  const double turn_us = load_latency_us + work.reduction_us + block_start_us;
  const double full = full_bandwidth(device);
  const double demand = std::min(full / device.processors * processor_headroom * busy,
                                 active * (moved / blocks) / turn_us);
  const double ragged = waves <= 1 ? 1 : (waves + ragged_wave) / waves;
  // Accesses that meet many rows fetch sectors for what others want of them.
  const double scattered =
      1 + scattered_cost * std::max(0.0, whole_access_bytes / work.contiguous_bytes - 1);
  const double memory_us = demand > 0 ? moved / memory_rate(full, demand) * ragged * scattered : 0;
  const double latency_us = std::max(1.0, waves) * turn_us;

  const double vectors = work.block_len / config.vec_width / 32;
  const double instructions =
      blocks * (config.threads / 32.0 * resident_instructions +
                vectors * (once_vector_instructions + once_value_instructions * config.vec_width));
  const double issue_us = instructions / busy / (instructions_per_cycle * cycles_per_us);

  const double bound = std::max({memory_us, latency_us, issue_us});
  const double rest = memory_us + latency_us + issue_us - bound;
  return call_us + bound + lesser_terms * rest;
}

namespace {

/// Elements for which channels are looked up once, where they are as long.
constexpr std::int64_t stream_tile = 512;

/// Nanoseconds in which a processor's warps take the moments of, and write, 32 vectors of 16 bytes:
/// shorter channels are looked up for each vector, and where each element has its own, each vector
/// loads as much again.
double stream_vector_ns(const Problem& problem) {
  const std::int64_t inner = problem.affine().inner;
  const bool half = size_of(problem.desc().x_type) == 2;
  if (inner == 1) return half ? 69 : 63;
  if (inner < stream_tile) return half ? 180 : 140;
  return (half ? 39 : 17) + (problem.desc().epilogue.activation == Activation::none ? 0 : 3);
}

}  // namespace

double estimate_stream_us(const Problem& problem, const DeviceInfo& device,
                          const StreamWork& work) {
  const double full = full_bandwidth(device);
  // What does not fit on chip is read again.
  const double room = static_cast<double>(work.slots) / static_cast<double>(work.chunks);
  const double again = std::max(0.0, 1 - room);
  const double inputs = static_cast<double>(problem.moved_bytes() - problem.y_bytes());
  const double traffic = static_cast<double>(problem.moved_bytes()) + again * inputs;
  const double blocks = static_cast<double>(work.teams) * static_cast<double>(work.blocks_per_row);
  const double reached = full * std::min(1.0, blocks / device.processors * stream_headroom);
  const double ragged = static_cast<double>(work.rounds) * static_cast<double>(work.teams) /
                        std::max(1.0, static_cast<double>(problem.rows()));
  // With little room beside the rows that wait for their statistics, loads wait as well.
  const double stall = 1 + stream_stall * std::clamp((4 - room) / 3, 0.0, 1.0);
  const double warp_vectors = static_cast<double>(problem.x_bytes()) / 16 / 32;
  const double issue_us = warp_vectors / blocks * stream_vector_ns(problem) * 1e-3;
  // Large teams write in one strip, or the memory sees too many at once; small ones gain by turns.
  const bool one_strip = work.blocks_per_row >= stream_large_team;
  const double order = one_strip == (work.apply_groups == 1) ? 1.0 : stream_order_cost;
  const double bound_us = std::max(traffic / reached * stall * order, issue_us) * ragged;
  if (work.blocks_per_row == 1) return call_us + stream_start_us + bound_us;
  const bool in_cluster = work.exchange == Exchange::cluster;
  const double round_us = in_cluster ? cluster_exchange_us : exchange_us;
  return call_us + stream_start_us + (in_cluster ? 0 : reset_us) + round_us +
         std::max(bound_us, static_cast<double>(work.rounds) * round_us);
}

}  // namespace fastnorm::cuda
