// SPDX-License-Identifier: Apache-2.0
// Strategy stream_row: a persistent grid of one block a processor, in which a team of blocks holds
// a row on chip. One read of x for rows up to the shared memory of all processors; what is not
// held, because it does not fit or to leave room for the next row, is read again.
#include "backends/cuda/coresidency.hpp"
#include "backends/cuda/cost_terms.hpp"
#include "backends/cuda/hopper_code.hpp"
#include "backends/cuda/kernel_launch.hpp"
#include "backends/cuda/message_executable.hpp"
#include "backends/cuda/priorities.hpp"
#include "backends/cuda/row_cost_model.hpp"
#include "backends/cuda/row_space.hpp"
#include "backends/cuda/row_variant.hpp"
#include "backends/cuda/strategies.hpp"
#include "backends/cuda/stream_row_kernel.hpp"
#include "backends/cuda/team_space.hpp"
#include "core/integer.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace fastnorm::cuda {
namespace {

/// Vectors of a row that lie between its edges, wherever it starts.
std::int64_t least_vectors(const Problem& problem) {
  const int vec = full_vec_width(problem.desc().x_type);
  return (problem.row_len() - (vec - 1)) / vec;
}

int slot_vectors(const StreamConfig& config) { return config.slot_kib * 1024 / 16; }

bool in_cluster(const StreamConfig& config) { return config.exchange == Exchange::cluster; }

/// Shared memory of a block beside its ring.
int control_bytes(const Problem& problem, const StreamConfig& config) {
  return stream_control_bytes(problem.desc().x_type) +
         (in_cluster(config) ? cluster_mailbox_bytes(config.blocks_per_row) : 0);
}

/// The share of the L2 that lines which are wanted again may fill.
constexpr double l2_share = 0.5;

/// Chunks that a block has of a row: the fewest, and the most that the row's start may make them.
struct ChunkCount {
  std::int64_t least;
  std::int64_t most;
};

ChunkCount chunks_per_block(const Problem& problem, const StreamConfig& config) {
  const std::int64_t vectors = problem.row_len() / full_vec_width(problem.desc().x_type);
  return {least_vectors(problem) / slot_vectors(config) / config.blocks_per_row,
          ceil_divide(ceil_divide(std::max<std::int64_t>(1, vectors), slot_vectors(config)),
                      config.blocks_per_row)};
}

/// Chunks that a block's ring holds.
int slots_of(const Problem& problem, const DeviceInfo& device, const StreamConfig& config) {
  const std::int64_t slot_bytes = std::int64_t{16} * slot_vectors(config) * input_tensors(problem);
  const std::int64_t room = device.shared_bytes_per_block - control_bytes(problem, config);
  // No more rows may be under way than the block keeps count of.
  const std::int64_t rows =
      (in_cluster(config) ? cluster_rows_in_flight : stream_rows_in_flight) - 1;
  const std::int64_t counted =
      rows * std::max<std::int64_t>(1, chunks_per_block(problem, config).least);
  return static_cast<int>(
      std::clamp<std::int64_t>(std::min(room / slot_bytes, counted), 0, most_stream_slots));
}

/// Whether a team has room for a whole row on chip.
bool has_room_for_row(const Problem& problem, const DeviceInfo& device,
                      const StreamConfig& config) {
  return chunks_per_block(problem, config).most <= slots_of(problem, device, config);
}

/// Chunks of a row that a block holds until they are written.
std::int64_t held_chunks(const Problem& problem, const DeviceInfo& device,
                         const StreamConfig& config) {
  const std::int64_t room = std::min<std::int64_t>(chunks_per_block(problem, config).most,
                                                   slots_of(problem, device, config));
  return std::max<std::int64_t>(1, ceil_divide(room * config.held_percent, 100));
}

StreamShape shape_of(const Problem& problem, const DeviceInfo& device, const StreamConfig& config) {
  StreamShape shape;
  shape.exchange = config.exchange;
  shape.blocks_per_row = FastDivide(static_cast<std::uint32_t>(config.blocks_per_row));
  shape.slot_vectors = FastDivide(static_cast<std::uint32_t>(slot_vectors(config)));
  shape.statistics_warps = config.statistics_warps;
  shape.apply_warps = config.apply_warps;
  // One at least, so that what an empty problem would take can be estimated.
  shape.teams = static_cast<int>(
      std::clamp<std::int64_t>(problem.rows(), 1, device.processors / config.blocks_per_row));
  shape.slots = slots_of(problem, device, config);
  shape.kept = static_cast<int>(held_chunks(problem, device, config));
  shape.apply_groups = config.apply_groups;
  const double chunk_bytes = 16.0 * slot_vectors(config) * input_tensors(problem);
  shape.cached = static_cast<int>(l2_share * static_cast<double>(device.l2_bytes) /
                                  (chunk_bytes * shape.teams * config.blocks_per_row));
  return shape;
}

unsigned int blocks_of(const StreamShape& shape) {
  return static_cast<unsigned int>(shape.teams) * shape.blocks_per_row.divisor();
}

/// What the priorities cost beside the best, which is the default's, as it was measured in the
/// mean.
double priorities_cost(const StreamConfig& config) {
  const double load = config.load == LoadPriority::evict_last ? 1 : 1.02;
  return config.store == StorePriority::normal ? load : load * 1.01;
}

/// How a block's warps share the work.
struct Crew {
  int statistics_warps;
  int apply_warps;
  int apply_groups;
};
constexpr Crew crews[] = {{4, 8, 2},  {4, 8, 1},  {4, 8, 4},  {4, 8, 8}, {4, 12, 1},
                          {4, 12, 3}, {5, 12, 2}, {5, 12, 3}, {5, 12, 6}};

class StreamRow final : public RowVariant<StreamConfig> {
 public:
  explicit StreamRow(ResidentBlocks resident_blocks)
      : resident_blocks_(std::move(resident_blocks)) {}

  std::string_view name() const noexcept override { return "stream_row"; }
  bool deterministic() const noexcept override { return true; }

  Support supports_problem(const Problem& problem, const DeviceInfo& device) const override {
    if (Support support = supports_hopper_code(device, "bulk copies"); !support.ok) return support;
    if (problem.row_len() > page_len) {
      return Support::no("rows of " + std::to_string(problem.row_len()) +
                         " elements are too long; at most " + std::to_string(page_len));
    }
    if (least_vectors(problem) < 1) {
      return Support::no("rows of " + std::to_string(problem.row_len()) +
                         " elements need not hold one access of 16 bytes");
    }
    return supports_vectors(problem);
  }

 private:
  bool blocks_wait(const StreamConfig& config) const override { return config.blocks_per_row > 1; }

  Support supports_config(const Problem& problem, const DeviceInfo& device,
                          const StreamConfig& config) const override {
    if (config.slot_kib < 4 || config.slot_kib > 32 ||
        (config.slot_kib & (config.slot_kib - 1)) != 0) {
      return Support::no("slot_kib=" + std::to_string(config.slot_kib) + " must be 4, 8, 16 or 32");
    }
    const int most_blocks = largest_team(device);
    if (config.blocks_per_row < 1 || config.blocks_per_row > most_blocks) {
      return Support::no(
          "blocks_per_row=" + std::to_string(config.blocks_per_row) + " must be from 1 to " +
          std::to_string(most_blocks) +
          (device.cooperative_launch ? "" : " on a device without cooperative launches"));
    }
    if (in_cluster(config) && !is_cluster_size(config.blocks_per_row)) {
      return Support::no("blocks_per_row=" + std::to_string(config.blocks_per_row) +
                         " must be from 2 to " + std::to_string(most_cluster_blocks) +
                         " with exchange=cluster");
    }
    if (least_vectors(problem) <= std::int64_t{config.blocks_per_row - 1} * slot_vectors(config)) {
      return Support::no("blocks_per_row=" + std::to_string(config.blocks_per_row) +
                         " leaves blocks without a chunk of a row");
    }
    const int most_warps = most_stream_threads(row_form(problem)) / 32 - stream_service_warps;
    if (config.statistics_warps < 1 || config.statistics_warps > most_statistics_warps ||
        config.apply_warps < 1 || config.apply_warps > most_warps - config.statistics_warps) {
      return Support::no("statistics_warps=" + std::to_string(config.statistics_warps) +
                         " must be from 1 to " + std::to_string(most_statistics_warps) +
                         ", apply_warps=" + std::to_string(config.apply_warps) +
                         " at least 1, and both together at most " + std::to_string(most_warps));
    }
    if (config.apply_groups < 1 || config.apply_warps % config.apply_groups != 0) {
      return Support::no("apply_groups=" + std::to_string(config.apply_groups) +
                         " must divide apply_warps=" + std::to_string(config.apply_warps));
    }
    const int slots = slots_of(problem, device, config);
    if (slots < 2) {
      return Support::no("slot_kib=" + std::to_string(config.slot_kib) +
                         " leaves room for fewer than two slots");
    }
    if (config.held_percent < 1 || config.held_percent > 100) {
      return Support::no("held_percent=" + std::to_string(config.held_percent) +
                         " must be from 1 to 100");
    }
    // If chunks that come again fill a ring more than once, all warps have to see each of them
    // pass.
    const std::int64_t again =
        chunks_per_block(problem, config).most - held_chunks(problem, device, config);
    if (config.apply_groups > 1 && again > slots) {
      return Support::no("apply_groups=" + std::to_string(config.apply_groups) +
                         " must be 1 where a block reads more than a ring again");
    }
    return Support::yes();
  }

  std::vector<StreamConfig> candidates(const Problem& problem,
                                       const DeviceInfo& device) const override {
    std::vector<StreamConfig> list;
    StreamConfig config;
    for (const int slot_kib : {16, 8, 32}) {
      config.slot_kib = slot_kib;
      for (const int blocks : stream_team_sizes(problem, device, slot_kib)) {
        config.blocks_per_row = blocks;
        for (const Exchange exchange : {Exchange::cluster, Exchange::memory}) {
          config.exchange = exchange;
          for (const Crew& crew : crews) {
            config.statistics_warps = crew.statistics_warps;
            config.apply_warps = crew.apply_warps;
            config.apply_groups = crew.apply_groups;
            for (const int percent : held_percents(problem, device, config)) {
              config.held_percent = percent;
              if (supports_config(problem, device, config).ok) list.push_back(config);
            }
          }
        }
      }
    }
    std::vector<StreamConfig> with_all;
    for (const StreamConfig& one : list) {
      with_all.push_back(one);
      for (const Priorities priorities : all_priorities) {
        const StreamConfig other = with_priorities(one, priorities);
        if (other.load != one.load || other.store != one.store) with_all.push_back(other);
      }
    }
    return with_all;
  }

  double estimate(const Problem& problem, const DeviceInfo& device,
                  const StreamConfig& config) const override {
    const StreamShape shape = shape_of(problem, device, config);
    StreamWork work;
    work.teams = shape.teams;
    if (in_cluster(config)) {
      const double most_blocks = resident_cluster_blocks(device, config.blocks_per_row, 1);
      const auto most = static_cast<std::int64_t>(most_blocks) / config.blocks_per_row;
      work.teams = std::clamp<std::int64_t>(most, 1, work.teams);
    }
    work.blocks_per_row = config.blocks_per_row;
    work.rounds = ceil_divide(problem.rows(), work.teams);
    work.chunks = chunks_per_block(problem, config).most;
    work.slots = shape.slots;
    work.held = shape.kept;
    work.cached = shape.cached;
    work.slot_vectors = slot_vectors(config);
    work.statistics_warps = config.statistics_warps;
    work.apply_warps = config.apply_warps;
    work.apply_groups = config.apply_groups;
    work.exchange = config.exchange;
    return estimate_stream_us(problem, device, work) * priorities_cost(config);
  }

  Result<std::unique_ptr<const Executable>> make(const Problem& problem, const DeviceInfo& device,
                                                 const StreamConfig& config) const override {
    StreamShape shape = shape_of(problem, device, config);
    KernelLaunch launch;
    launch.name = "stream_row_kernel";
    launch.least_ptx_version = hopper_ptx_version;
    launch.kernel = stream_row_kernel_address(problem.desc().x_type, row_form(problem));
    launch.blocks = blocks_of(shape);
    launch.threads = 32 * (stream_service_warps + shape.statistics_warps + shape.apply_warps);
    launch.shared_bytes = control_bytes(problem, config) +
                          shape.slots * slot_vectors(config) * 16 * input_tensors(problem);
    if (in_cluster(config)) {
      launch.cluster_blocks = config.blocks_per_row;
    } else if (config.blocks_per_row > 1) {
      launch.grid = GridKind::cooperative;
    }
    const Result<std::int64_t> room = load_with_room(launch, device, resident_blocks_);
    if (!room.ok()) return room.status();
    if (in_cluster(config)) {
      // Not every processor is one of a whole cluster's. Teams that wait for others gain nothing.
      shape.teams = static_cast<int>(
          std::min<std::int64_t>(shape.teams, room.value() / config.blocks_per_row));
      launch.blocks = blocks_of(shape);
    }
    const bool by_messages = config.blocks_per_row > 1 && !in_cluster(config);
    return std::unique_ptr<const Executable>(
        std::make_unique<MessageExecutable<RowParams, StreamShape>>(
            problem, device.ordinal, row_params(problem, config.cache()), &same_vector_phase,
            full_vec_width(problem.desc().x_type), shape,
            by_messages ? problem.rows() * config.blocks_per_row : 0, launch));
  }

  /// Single elements cannot be bulk copies: any pointers are block_row's.
  Result<std::unique_ptr<const Executable>> make_fallback(const Problem& problem,
                                                          const DeviceInfo& device,
                                                          const StreamConfig&) const override {
    return prepare_scalar_block_row(problem, device);
  }

  /// Those that make a difference.
  static std::vector<int> held_percents(const Problem& problem, const DeviceInfo& device,
                                        StreamConfig config) {
    std::vector<int> different;
    std::int64_t before = 0;
    for (const int percent : {100, 88, 75, 50}) {
      config.held_percent = percent;
      const std::int64_t held = held_chunks(problem, device, config);
      if (held != before) different.push_back(percent);
      before = held;
    }
    return different;
  }

  /// Of which no block would be without a chunk; they fit if they hold a row.
  static std::vector<int> stream_team_sizes(const Problem& problem, const DeviceInfo& device,
                                            int slot_kib) {
    StreamConfig config;
    config.slot_kib = slot_kib;
    std::vector<int> possible;
    for (const int blocks : powers_and_shares(largest_team(device))) {
      if (least_vectors(problem) > std::int64_t{blocks - 1} * slot_vectors(config)) {
        possible.push_back(blocks);
      }
    }
    return team_sizes(possible, problem.rows(), device, [&](int blocks) {
      config.blocks_per_row = blocks;
      return has_room_for_row(problem, device, config);
    });
  }

  const ResidentBlocks resident_blocks_;
};

}  // namespace

std::unique_ptr<const KernelVariant> make_stream_row(ResidentBlocks resident_blocks) {
  return std::make_unique<StreamRow>(std::move(resident_blocks));
}

const KernelVariant& stream_row_variant() {
  static const KernelVariant& variant = *make_stream_row(resident_blocks).release();
  return variant;
}

}  // namespace fastnorm::cuda
