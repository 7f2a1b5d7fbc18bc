// SPDX-License-Identifier: Apache-2.0
// What strategies take that read x once, into registers.
#include "backends/cuda/cost_terms.hpp"
#include "backends/cuda/row_cost_model.hpp"
#include "backends/cuda/row_space.hpp"

#include <algorithm>
#include <cmath>

namespace fastnorm::cuda {
namespace {

// Fitted to 67 workload cases, up to sixty configurations each. Of those within half of the
// fastest, estimates are off by 10% (root mean square); the configuration with the smallest one
// is 1.5% slower than the fastest measured (geometric mean), or 4% with a cluster a row.
constexpr double call_us = 3.85;          // A call that does next to nothing.
constexpr double load_latency_us = 0.39;  // Memory, from the first load to the last.
constexpr double headroom = 1.32;         // One processor draws little more than its share.
constexpr double saturation = 9.9;
constexpr double ragged_wave = 0.54;
constexpr double whole_access_bytes = 64;
constexpr double scattered_cost = 0.33;
constexpr double warp_instructions = 52;     // Of a warp, beside its vectors,
constexpr double vector_instructions = 5.0;  // each vector,
constexpr double lookup_instructions = 34;   // one whose channels are looked up,
constexpr double value_instructions = 1.04;  // and each of its values,
constexpr double half_value_instructions = 1.21;
constexpr double activation_instructions = 5.6;  // times activation_weight() more.
constexpr double cycles_per_instruction = 9.0;   // Of one warp, which waits for itself.
constexpr double instructions_per_cycle = 3;     // Of a processor.
constexpr double sharpness = 1.6;                // How well following waves hide each other.

/// Of a thread, as the compiler gives them.
double resident_registers(const Problem& problem, const ResidentConfig& config) {
  if (config.unroll >= 8) return 96;
  if (problem.desc().x_type == DType::f64) return config.unroll > 1 ? 80 : 56;
  if (config.vec_width == 1) return 40;
  if (config.unroll > 1) return config.vec_width == 8 ? 80 : 72;
  if (config.vec_width < 8) return 40;
  return row_form(problem) == RowForm::fused ? 64 : 48;
}

/// Whether the channels of each vector are looked up: a thread's vectors are a run of its warp or
/// group of lanes, which is served by two channels at most where it is no longer than one of them.
bool looks_up_channels(const Problem& problem, const ResidentConfig& config,
                       const ResidentWork& work) {
  const AffineMap& affine = problem.affine();
  const double run =
      work.contiguous_bytes * config.unroll / static_cast<double>(size_of(problem.desc().x_type));
  return affine.inner > 1 && affine.channels_per_row > 1 && static_cast<double>(affine.inner) < run;
}

}  // namespace

double estimate_one_read_us(const Problem& problem, const DeviceInfo& device,
                            const ResidentConfig& config, const ResidentWork& work) {
  const auto moved = static_cast<double>(problem.moved_bytes());
  const double blocks = std::max(1.0, static_cast<double>(work.blocks));
  const double resident = resident_cluster_blocks(
      device, work.cluster,
      blocks_per_processor(device, config.threads, resident_registers(problem, config)));
  const double active = std::min(blocks, resident);
  const double busy = std::min<double>(active, device.processors);
  const double waves = blocks / resident;

  // A warp's own instructions, one after the other.
  const bool half = size_of(problem.desc().x_type) == 2;
  const double value =
      (half ? half_value_instructions : value_instructions) +
      activation_instructions * activation_weight(problem.desc().epilogue.activation);
  const double vector = vector_instructions + config.vec_width * value +
                        (looks_up_channels(problem, config, work) ? lookup_instructions : 0);
  const double vectors = work.block_len / config.vec_width / 32;
  const double warps = config.threads / 32.0;
  const double of_warp = warp_instructions + work.thread_vectors * vector;

  const double full = full_bandwidth(device);
  const double demand = full / device.processors * headroom * busy;
  const double ragged = waves <= 1 ? 1 : (waves + ragged_wave) / waves;
  // Accesses that meet many rows fetch sectors for what others want of them.
  const double scattered =
      1 + scattered_cost * std::max(0.0, whole_access_bytes / work.contiguous_bytes - 1);
  const double memory_us = moved / memory_rate(full, demand, saturation) * ragged * scattered;
  const double issue_us = blocks * (warps * warp_instructions + vectors * vector) / busy /
                          (instructions_per_cycle * cycles_per_us);

  // A wave's blocks load, then reduce and map, then store, one after the other. Beside the memory's
  // time, that takes as long as a warp takes for its instructions, or a processor for all of them.
  const double turn_us =
      load_latency_us + work.reduction_us +
      std::max(of_warp * cycles_per_instruction / cycles_per_us, issue_us / std::max(1.0, waves));
  // Of one wave nothing hides it; those that follow do so while others use the memory.
  const double following = 1 - 1 / std::max(1.0, waves);
  const double moving_us =
      std::pow(std::pow(memory_us, sharpness) + std::pow(following * issue_us, sharpness) +
                   std::pow(following * waves * turn_us, sharpness),
               1 / sharpness);
  return call_us + turn_us + moving_us;
}

}  // namespace fastnorm::cuda
