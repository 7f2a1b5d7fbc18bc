// SPDX-License-Identifier: Apache-2.0
// What strategies take that read x twice: from memory, and what the L2 does not serve once more.
#include "backends/cuda/cost_terms.hpp"
#include "backends/cuda/row_cost_model.hpp"
#include "backends/cuda/row_space.hpp"

#include <algorithm>
#include <cmath>

namespace fastnorm::cuda {
namespace {

// Fitted to exhaustive measurements of 48 shapes.
constexpr double call_us = 5.4;             // A call that does next to nothing.
constexpr double further_kernel_us = 4.0;   // One more kernel: its launch, ramp and drain.
constexpr double load_latency_us = 0.5;     // Memory, under load.
constexpr double reduction_us = 1.4;        // A block's merge: barriers and shuffles.
constexpr double l2_speedup = 5.5;          // What a read of x costs less where the L2 serves it.
constexpr double l2_share = 0.3;            // Of the L2 that x may fill between its two reads.
constexpr double streamed_l2_gain = 1.15;   // Output lines that leave early leave room for x.
constexpr double kept_output_cost = 0.1;    // Written lines that linger cost some of x's reads.
constexpr double processor_headroom = 2.9;  // One busy processor can draw this much of its share.
constexpr double saturation = 3.0;          // How sharply demand meets the bandwidth.
constexpr double second_read_efficiency =
    0.92;  // Of memory that two reads and a write turn around.
constexpr double wide_tile_cost =
    1.15;                              // 32 values a thread: too few threads fit beside each other.
constexpr double lesser_terms = 0.21;  // How much of the terms that do not bound is not hidden.
constexpr double ragged_wave = 0.1;    // Idle part of the last wave.
constexpr double instructions_per_cycle = 2.2;
constexpr double merge_instructions = 400;  // Of a warp, each kernel.
constexpr double vector_instructions = 20;  // Of a warp, each vector, both reads.
constexpr double value_instructions = 7;    // Of a warp, each of the vector's values.

/// More than the compiler's count: what lets fewer threads run beside each other grows with it.
double registers_of(const RowConfig& config) {
  return std::ceil((21.0 + 6.3 * config.vec_width * config.unroll) / 8) * 8;
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
  const double moved_bytes = static_cast<double>(problem.moved_bytes());
  const double x_bytes = static_cast<double>(problem.x_bytes());
  const int read_twice = input_tensors(problem);
  const double l2_bytes = static_cast<double>(device.l2_bytes);
  const double blocks = static_cast<double>(work.blocks);
  const double block_len = static_cast<double>(work.block_len);
  const double resident =
      device.processors * blocks_per_processor(device, config.threads, registers_of(config));
  const double active = std::max(1.0, std::min(blocks, resident));
  const double busy = std::min<double>(active, device.processors);
  const double waves = blocks / resident;
  const double values = static_cast<double>(config.vec_width * config.unroll);

  // Bytes from memory, the second read counted by what the L2 does not serve.
  const double between = read_twice * (work.kernels > 1 ? x_bytes : active * block_len * element);
  const double hits = second_read_hits(config, between, l2_bytes);
  double traffic = moved_bytes + read_twice * x_bytes * (1 - hits + hits / l2_speedup);
  if (config.store == StorePriority::normal && moved_bytes > l2_bytes) {
    traffic += kept_output_cost * x_bytes;
  }

  // Bandwidth of the processors at work: by their number, and by the bytes they keep in flight.
  const double full = full_bandwidth(device) * second_read_efficiency;
  const double threads =
      std::min<double>(config.threads, std::max(1.0, block_len / config.vec_width));
  const double in_flight = active / busy * threads * values * element;
  const double demand =
      busy * std::min(full / device.processors * processor_headroom, in_flight / load_latency_us);
  const double reached = memory_rate(full, demand, saturation);
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

}  // namespace fastnorm::cuda
