// SPDX-License-Identifier: Apache-2.0
// What strategies take that read x once, into registers.
#include "backends/cuda/cost_terms.hpp"
#include "backends/cuda/row_cost_model.hpp"
#include "backends/cuda/row_space.hpp"

#include <algorithm>
#include <cmath>

namespace fastnorm::cuda {
namespace {

// Fitted to some twenty configurations each of 64 workload cases, of which the one with the
// smallest estimate is 2% slower than the fastest measured (geometric mean).
constexpr double call_us = 3.8;           // A call that does next to nothing.
constexpr double load_latency_us = 0.87;  // Memory, from the first load to the last.
constexpr double block_start_us = 0.075;  // From a block's end to the next one's loads.
constexpr double headroom = 1.08;         // One processor draws little more than its share.
constexpr double saturation = 8;
constexpr double ragged_wave = 0.53;
constexpr double whole_access_bytes = 64;
constexpr double scattered_cost = 0.25;
constexpr double warp_instructions = 140;   // Of a warp, beside its vectors,
constexpr double vector_instructions = 47;  // each vector,
constexpr double value_instructions = 14;   // and each of its values,
constexpr double half_value_instructions = 12;
constexpr double activation_share = 0.44;       // times activation_weight() more.
constexpr double cycles_per_instruction = 4.1;  // Of one warp, which waits for itself.
constexpr double instructions_per_cycle = 3;    // Of a processor.

/// Of a thread that keeps so many vectors, as the compiler gives them: its bound where there are
/// several, or where a fused form maps eight elements one by one.
double resident_registers(const Problem& problem, const ResidentConfig& config) {
  if (config.unroll > 1) return config.unroll < 8 ? 80 : 96;
  return row_form(problem) == RowForm::fused && config.vec_width == 8 ? 64 : 40;
}

}  // namespace

double estimate_one_read_us(const Problem& problem, const DeviceInfo& device,
                            const ResidentConfig& config, const ResidentWork& work) {
  const auto moved = static_cast<double>(problem.moved_bytes());
  const double blocks = std::max(1.0, static_cast<double>(work.blocks));
  const double processors = std::max(1.0, std::floor(device.processors * work.usable_processors));
  const double resident = processors * blocks_per_processor(device, config.threads,
                                                            resident_registers(problem, config));
  const double active = std::max(1.0, std::min(blocks, resident));
  const double busy = std::min(active, processors);
  const double waves = blocks / resident;

  // A warp's own instructions, one after the other.
  const bool half = size_of(problem.desc().x_type) == 2;
  const double activation =
      activation_share * activation_weight(problem.desc().epilogue.activation);
  const double vector =
      vector_instructions +
      config.vec_width * (1 + activation) * (half ? half_value_instructions : value_instructions);
  const double vectors = work.block_len / config.vec_width / 32;
  const double warps = config.threads / 32.0;
  const double of_warp =
      warp_instructions + std::min<double>(config.unroll, std::ceil(vectors / warps)) * vector;

  // A block loads, reduces and stores, and is replaced; others keep the memory busy meanwhile.
  const double turn_us = load_latency_us + work.reduction_us + block_start_us +
                         of_warp * cycles_per_instruction / cycles_per_us;
  const double full = full_bandwidth(device);
  const double demand =
      std::min(full / device.processors * headroom * busy, active * (moved / blocks) / turn_us);
  const double ragged = waves <= 1 ? 1 : (waves + ragged_wave) / waves;
  // Accesses that meet many rows fetch sectors for what others want of them.
  const double scattered =
      1 + scattered_cost * std::max(0.0, whole_access_bytes / work.contiguous_bytes - 1);
  const double memory_us =
      demand > 0 ? moved / memory_rate(full, demand, saturation) * ragged * scattered : 0;
  const double latency_us = std::max(1.0, waves) * turn_us;
  const double issue_us = blocks * (warps * warp_instructions + vectors * vector) / busy /
                          (instructions_per_cycle * cycles_per_us);
  return call_us + std::max({memory_us, latency_us, issue_us});
}

}  // namespace fastnorm::cuda
