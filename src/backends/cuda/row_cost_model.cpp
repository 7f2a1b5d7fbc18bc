#include "backends/cuda/row_cost_model.hpp"

#include "backends/cuda/row_space.hpp"

#include <algorithm>
#include <cmath>

namespace fastnorm::cuda {
namespace {

// Fitted on one H200: those of two reads to exhaustive measurements of 48 shapes, those of one read
// to some twenty configurations each of 64 workload cases, of which the one with the smallest
// estimate is 3% slower than the fastest measured (geometric mean). Each constant is of the size
// that its meaning suggests, so other GPUs of the last generations should not be far off.
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
constexpr double second_read_efficiency =
    0.92;  // Of memory that two reads and a write turn around.
constexpr double wide_tile_cost =
    1.15;                              // 32 values a thread: too few threads fit beside each other.
constexpr double lesser_terms = 0.21;  // How much of the terms that do not bound is not hidden.
constexpr double ragged_wave = 0.1;    // Idle part of the last wave.
constexpr double cycles_per_us = 1750;
constexpr double instructions_per_cycle = 2.2;
// Of the strategies that read once, whose rows stay in registers.
constexpr double once_call_us = 3.8;      // A call that does next to nothing.
constexpr double once_latency_us = 0.87;  // Memory, from the first load to the last.
constexpr double block_start_us = 0.075;  // From a block's end to the next one's loads.
constexpr double once_headroom = 1.08;    // One processor draws little more than its share.
constexpr double once_saturation = 8;
constexpr double once_ragged_wave = 0.53;
constexpr double whole_access_bytes = 64;
constexpr double scattered_cost = 0.25;
constexpr double warp_instructions = 140;        // Of a warp, beside its vectors,
constexpr double once_vector_instructions = 47;  // each vector,
constexpr double once_value_instructions = 14;   // and each of its values,
constexpr double once_half_value_instructions = 12;
constexpr double once_activation_weight = 0.44;    // times activation_weight() more.
constexpr double cycles_per_instruction = 4.1;     // Of one warp, which waits for itself.
constexpr double once_instructions_per_cycle = 3;  // Of a processor.
constexpr double merge_instructions = 400;         // Of a warp, each kernel.
constexpr double vector_instructions = 20;         // Of a warp, each vector, both reads.
constexpr double value_instructions = 7;           // Of a warp, each of the vector's values.

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
double memory_rate(double full, double demand, double sharpness) {
  return demand / std::pow(1 + std::pow(demand / full, sharpness), 1 / sharpness);
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

namespace {

/// SiLU is 1.
double activation_weight(Activation activation) {
  switch (activation) {
    case Activation::none:
      return 0;
    case Activation::relu:
    case Activation::leaky_relu:
    case Activation::clamp:
      return 0.25;
    case Activation::hardswish:
      return 0.5;
    case Activation::gelu:
    case Activation::gelu_tanh:
      return 1.8;
    case Activation::silu:
    case Activation::elu:
    case Activation::tanh:
      break;
  }
  return 1;
}

/// Of a thread that keeps so many vectors; the compiler's bound where there are several.
double resident_registers(int unroll) { return unroll == 1 ? 40 : (unroll < 8 ? 80 : 96); }

}  // namespace

double estimate_one_read_us(const Problem& problem, const DeviceInfo& device,
                            const ResidentConfig& config, const ResidentWork& work) {
  const auto moved = static_cast<double>(problem.moved_bytes());
  const double blocks = std::max(1.0, static_cast<double>(work.blocks));
  const double processors = std::max(1.0, std::floor(device.processors * work.usable_processors));
  const double resident =
      processors * blocks_per_processor(device, config.threads, resident_registers(config.unroll));
  const double active = std::max(1.0, std::min(blocks, resident));
  const double busy = std::min(active, processors);
  const double waves = blocks / resident;

  // A warp's own instructions, one after the other.
  const bool half = size_of(problem.desc().x_type) == 2;
  const double activation =
      once_activation_weight * activation_weight(problem.desc().epilogue.activation);
  const double vector = once_vector_instructions +
                        config.vec_width * (1 + activation) *
                            (half ? once_half_value_instructions : once_value_instructions);
  const double vectors = work.block_len / config.vec_width / 32;
  const double warps = config.threads / 32.0;
  const double of_warp =
      warp_instructions + std::min<double>(config.unroll, std::ceil(vectors / warps)) * vector;

  // A block loads, reduces and stores, and is replaced; others keep the memory busy meanwhile.
  const double turn_us = once_latency_us + work.reduction_us + block_start_us +
                         of_warp * cycles_per_instruction / cycles_per_us;
  const double full = full_bandwidth(device);
  const double demand = std::min(full / device.processors * once_headroom * busy,
                                 active * (moved / blocks) / turn_us);
  const double ragged = waves <= 1 ? 1 : (waves + once_ragged_wave) / waves;
  // Accesses that meet many rows fetch sectors for what others want of them.
  const double scattered =
      1 + scattered_cost * std::max(0.0, whole_access_bytes / work.contiguous_bytes - 1);
  const double memory_us =
      demand > 0 ? moved / memory_rate(full, demand, once_saturation) * ragged * scattered : 0;
  const double latency_us = std::max(1.0, waves) * turn_us;
  const double issue_us = blocks * (warps * warp_instructions + vectors * vector) / busy /
                          (once_instructions_per_cycle * cycles_per_us);
  return once_call_us + std::max({memory_us, latency_us, issue_us});
}

namespace {

// Of a stream, fitted to 55 configurations each of the 49 workload cases that it is the fastest
// for: the one with the smallest estimate is 5% slower than the fastest measured (geometric mean).
constexpr double stream_start_us = 0.3;      // Its barriers, and the way through its ring.
constexpr double reset_us = 2.9;             // Filling its messages.
constexpr double exchange_us = 1.6;          // A row's, in memory,
constexpr double cluster_exchange_us = 1.2;  // or in a cluster: the least it takes.
constexpr double fill_share = 0.054;         // Of a round, in which reads or writes are alone.
constexpr double stall_cost = 0.093;      // With little room beside the rows under way, loads wait.
constexpr double ample_room = 3.2;        // Rows that a block should hold.
constexpr double slots_in_transit = 2.1;  // That are being loaded or about to be written,
constexpr double slots_of_group = 0.38;   // and for each group of writers: they hold no more of x.
constexpr double again_cost = 0.24;       // Where a row is loaded again in part.
constexpr std::int64_t large_team = 100;  // From so many blocks on,
constexpr double large_team_order = 0.093;  // writing in one strip is cheaper: each doubling;
constexpr double small_team_order = 0.087;  // below, memory likes several strips.
constexpr std::int64_t smallest_ordered_team = 16;
// Microseconds of a warp.
constexpr int write_tile_vectors = 64;
constexpr double write_tile_us = 0.39;
constexpr double write_half_tile_us = 0.43;
constexpr double activation_us = 0.81;       // Added to 1, times activation_weight(): half types,
constexpr double wide_activation_us = 0.41;  // whose tiles have twice the elements, and others.
constexpr double lookup_us = 0.003;          // Of a tile's channels, where a chunk has several.
constexpr double neighbours_us = 1.4;        // Each element has its own,
constexpr double short_channels_us = 2.0;    // or channels are shorter than a tile.
constexpr double chunk_us = 0.11;
constexpr int moments_tile_vectors = 128;
constexpr double moments_tile_us = 0.21;
constexpr double moments_half_tile_us = 0.41;
constexpr double moments_chunk_us = 0.24;

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

/// Which order of writes the memory likes.
double order_cost(const StreamWork& work) {
  const double doublings = std::log2(work.apply_groups);
  if (work.blocks_per_row >= large_team) return 1 + large_team_order * doublings;
  if (work.blocks_per_row <= smallest_ordered_team) return 1;
  return 1 + small_team_order * std::max(0.0, 2 - doublings) / 2;
}

}  // namespace

double estimate_stream_us(const Problem& problem, const DeviceInfo& device,
                          const StreamWork& work) {
  const auto chunks = static_cast<double>(work.chunks);
  const auto slots = static_cast<double>(work.slots);
  const auto rounds = static_cast<double>(work.rounds);
  const auto blocks = static_cast<double>(work.teams * work.blocks_per_row);
  // What neither the chip nor the L2 holds is read from memory again.
  const double again = std::max(0.0, chunks - slots - static_cast<double>(work.cached)) / chunks;
  const auto inputs = static_cast<double>(problem.moved_bytes() - problem.y_bytes());
  const double traffic = static_cast<double>(problem.moved_bytes()) + again * inputs;
  const double reached = full_bandwidth(device) * std::min(1.0, blocks / device.processors);
  const double ragged =
      rounds * static_cast<double>(work.teams) / std::max(1.0, static_cast<double>(problem.rows()));
  double stall = 1 + again_cost;
  if (slots >= chunks) {
    const double room = (slots - slots_in_transit - slots_of_group * work.apply_groups) / chunks;
    stall = 1 + stall_cost * std::pow(std::max(0.0, ample_room - std::max(0.0, room)), 2);
  }
  const double memory_us = traffic / reached * stall * order_cost(work) * ragged;
  const double chunk_bound_us = std::max(write_us(problem, work), moments_us(problem, work));
  const double rows_us = std::max(memory_us, rounds * chunks * chunk_bound_us);
  const double fill_us = fill_share * memory_us / std::max(1.0, rounds) / std::max(1.0, ragged);
  if (work.blocks_per_row == 1) return call_us + stream_start_us + rows_us + fill_us;
  const bool in_cluster = work.exchange == Exchange::cluster;
  const double round_us = in_cluster ? cluster_exchange_us : exchange_us;
  return call_us + stream_start_us + (in_cluster ? 0 : reset_us) + round_us +
         std::max(rows_us, rounds * round_us) + fill_us;
}

}  // namespace fastnorm::cuda
