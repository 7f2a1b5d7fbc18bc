// SPDX-License-Identifier: Apache-2.0
// What a persistent grid takes that reads rows a second time while the L2 has them.
#include "backends/cuda/cost_terms.hpp"
#include "backends/cuda/row_cost_model.hpp"
#include "backends/cuda/row_space.hpp"

#include <algorithm>
#include <cmath>

namespace fastnorm::cuda {
namespace {

// Fitted to the defaults of 73 workload cases and 24 configurations each of 14 on an H200. The L2
// has served hardly any second read there, so that strategies which need no exchange for their two
// reads come first; what a device with another L2 makes of it is for a tuner to find out.
constexpr double call_us = 5.7;
constexpr double reset_us = 2.9;            // Filling the messages.
constexpr double exchange_us = 3.4;         // A row's: sent, polled and merged.
constexpr double reduction_us = 1.4;        // A block's merge: barriers and shuffles.
constexpr double load_latency_us = 0.5;     // Memory, under load.
constexpr double l2_speedup = 5.5;          // What a read of x costs less where the L2 serves it.
constexpr double l2_share_served = 0.12;    // Of the L2: what lies between the reads is all there;
constexpr double l2_share_lost = 0.55;      // nothing of so much is.
constexpr double neighbours_cost = 0.8;     // Each element's own gamma and beta, from the L2.
constexpr double unprotected_cost = 0.02;   // Where x's lines have no priority over y's.
constexpr double efficiency = 0.74;         // Of memory, since blocks wait between their reads;
constexpr double half_efficiency = 0.6;     // of half-width types, whose arithmetic is longer.
constexpr double processor_headroom = 2.9;  // One busy processor can draw this much of its share.
constexpr double saturation = 3.0;          // How sharply demand meets the bandwidth.
constexpr double lesser_term = 0.12;        // How much of what does not bound is not hidden.

/// Share of the second read that the L2 serves.
double second_read_hits(double bytes_between, double l2_bytes) {
  const double filled = bytes_between / std::max(1.0, l2_bytes);
  return std::clamp((l2_share_lost - filled) / (l2_share_lost - l2_share_served), 0.0, 1.0);
}

}  // namespace

double estimate_window_us(const Problem& problem, const DeviceInfo& device, const RowConfig& config,
                          const WindowWork& work) {
  const auto rounds = static_cast<double>(work.rounds);
  const auto blocks = static_cast<double>(work.teams * work.blocks_per_row);
  const auto part_len = static_cast<double>(work.part_len);
  const double inputs = input_tensors(problem) * static_cast<double>(problem.x_bytes());
  const double hits =
      second_read_hits(work.bytes_between_reads, static_cast<double>(device.l2_bytes));
  double traffic =
      static_cast<double>(problem.moved_bytes()) + inputs * (1 - hits + hits / l2_speedup);
  if (problem.affine().inner == 1) {
    traffic += neighbours_cost * static_cast<double>(problem.x_bytes());
  }
  if (config.load != LoadPriority::evict_last && exceeds_l2(problem, device)) {
    traffic += unprotected_cost * inputs;
  }

  // Bandwidth of the processors at work: by their number, and by the bytes they keep in flight.
  const double busy = std::min<double>(blocks, device.processors);
  const bool half = size_of(problem.desc().x_type) == 2;
  const double full = full_bandwidth(device) * (half ? half_efficiency : efficiency);
  const double threads = std::min<double>(config.threads, part_len / config.vec_width);
  const double values = config.vec_width * config.unroll;
  const double in_flight =
      blocks / busy * threads * values * static_cast<double>(size_of(problem.desc().x_type));
  const double demand =
      busy * std::min(full / device.processors * processor_headroom, in_flight / load_latency_us);
  const double ragged =
      rounds * static_cast<double>(work.teams) / std::max(1.0, static_cast<double>(problem.rows()));
  const double memory_us = traffic / memory_rate(full, demand, saturation) * ragged;

  // A block's own chain: its part twice, and the exchange.
  const double tiles = std::ceil(part_len / (config.threads * values));
  const bool alone = work.blocks_per_row == 1;
  const double round_us = 2 * tiles * load_latency_us + reduction_us + (alone ? 0 : exchange_us);
  const double latency_us = std::max(1.0, rounds) * round_us;

  // A team's only row has no other beside it to hide anything.
  const double unhidden = lesser_term + (1 - lesser_term) / std::max(1.0, rounds);
  return call_us + (alone ? 0 : reset_us) + std::max(memory_us, latency_us) +
         unhidden * std::min(memory_us, latency_us);
}

}  // namespace fastnorm::cuda
