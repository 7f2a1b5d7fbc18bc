// SPDX-License-Identifier: Apache-2.0
// Strategy stream_columns: a persistent grid in which a team of blocks holds a tile of a matrix on
// chip. One read of x for tiles up to the shared memory of all processors; what does not fit is
// read again.
#include "backends/cuda/column_config.hpp"
#include "backends/cuda/column_cost_model.hpp"
#include "backends/cuda/column_matrix.hpp"
#include "backends/cuda/column_space.hpp"
#include "backends/cuda/coresidency.hpp"
#include "backends/cuda/hopper_code.hpp"
#include "backends/cuda/kernel_launch.hpp"
#include "backends/cuda/message_executable.hpp"
#include "backends/cuda/priorities.hpp"
#include "backends/cuda/row_space.hpp"
#include "backends/cuda/strategies.hpp"
#include "backends/cuda/stream_columns_kernel.hpp"
#include "backends/cuda/team_space.hpp"
#include "core/integer.hpp"
#include "core/typed_variant.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace fastnorm::cuda {
namespace {

bool in_cluster(const StreamColumnsConfig& config) { return config.exchange == Exchange::cluster; }

/// Shared memory of a block, where a processor has so many.
std::int64_t shared_room(const DeviceInfo& device, const StreamColumnsConfig& config) {
  constexpr std::int64_t of_system = 1024;  // Of each block.
  return (device.shared_bytes_per_block + of_system) / config.blocks_per_processor - of_system;
}

/// Bytes of a tile's position.
std::int64_t tile_bytes(const Problem& problem, int tile) {
  return tile * static_cast<std::int64_t>(size_of(problem.desc().x_type));
}

/// Warps that load.
int loaders_of(const Problem& problem, const ColumnGeometry& geometry, int tile) {
  const bool bulk =
      geometry.x_position == tile || tile_bytes(problem, tile) >= least_bulk_copy_bytes;
  return bulk ? 1 : column_vector_loaders;
}

/// Warps of a block that take moments or write, where a processor has so many blocks.
int most_working_warps(const Problem& problem, const ColumnGeometry& geometry, int tile,
                       int per_processor = 1) {
  return most_column_stream_warps(form_of_call(problem)) / per_processor - column_exchange_warps -
         loaders_of(problem, geometry, tile);
}

/// How so many of them lie over a tile: half of all at most side by side.
std::optional<ColumnThreads> threads_over_tile(const Problem& problem,
                                               const ColumnGeometry& geometry, int tile,
                                               int warps) {
  return column_threads(geometry, tile, column_vec_width(problem.desc().x_type), warps,
                        most_working_warps(problem, geometry, tile) / 2);
}
int warps_over_tile(const Problem& problem, const ColumnGeometry& geometry, int tile) {
  return column_warps(tile, column_vec_width(problem.desc().x_type),
                      most_working_warps(problem, geometry, tile) / 2);
}

/// Of a chunk: what a slot has room for, or fewer where a block's warps would not have as many
/// chunks of a tile each.
std::int64_t chunk_positions(std::int64_t room_positions, std::int64_t block_positions,
                             const ColumnThreads& threads, const StreamColumnsConfig& config) {
  const std::int64_t at_once = 32 >> threads.log2_lanes;
  const std::int64_t slots = std::int64_t{threads.position_warps} * config.slots_per_warp;
  const std::int64_t most =
      std::min<std::int64_t>(room_positions / slots, at_once * positions_of_pivot);
  const std::int64_t rounds =
      ceil_divide(block_positions, std::max<std::int64_t>(1, most) * threads.position_warps);
  const std::int64_t even = ceil_divide(block_positions, rounds * threads.position_warps);
  const std::int64_t whole = ceil_divide(even, at_once) * at_once;
  return whole <= most ? whole : (most > at_once ? most / at_once * at_once : most);
}

/// The launch's shape but for what asks the device. config's tile and warps are possible.
ColumnStream stream_of(const Problem& problem, const DeviceInfo& device,
                       const StreamColumnsConfig& config) {
  const ColumnGeometry geometry = *column_geometry(problem);
  const DType type = problem.desc().x_type;
  ColumnStream stream;
  stream.ring_slots = 0;
  stream.exchange = config.exchange;
  stream.tiles = column_tiles(geometry, config.tile);
  stream.statistics = *threads_over_tile(problem, geometry, config.tile, config.statistics_warps);
  stream.output = *threads_over_tile(problem, geometry, config.tile, config.output_warps);
  stream.loaders = loaders_of(problem, geometry, config.tile);
  stream.units = geometry.samples * stream.tiles.count;
  stream.blocks_per_tile = FastDivide(static_cast<std::uint32_t>(config.blocks_per_tile));
  const std::int64_t processors = std::int64_t{device.processors} * config.blocks_per_processor;
  stream.teams = static_cast<int>(
      std::clamp<std::int64_t>(processors / config.blocks_per_tile, 1, stream.units));
  stream.pieces = most_pieces(geometry, config.tile);
  const std::int64_t position_bytes = tile_bytes(problem, config.tile) * input_tensors(problem);
  const std::int64_t room = shared_room(device, config) - place_column_stream(type, stream);
  const std::int64_t positions = chunk_positions(
      std::max<std::int64_t>(0, room) / position_bytes,
      ceil_divide(geometry.positions, config.blocks_per_tile), stream.output, config);
  if (positions < 1) return stream;  // Without a slot.
  stream.chunk_positions = FastDivide(static_cast<std::uint32_t>(positions));
  const std::int64_t slot_bytes = positions * position_bytes;
  const std::int64_t chunks =
      ceil_divide(ceil_divide(geometry.positions, positions), config.blocks_per_tile);
  const std::int64_t warps = stream.output.position_warps;
  const std::int64_t slots =
      std::min(room / slot_bytes, std::int64_t{most_column_slots}) / warps * warps;
  if (slots == 0) return stream;
  if (chunks <= slots) {
    // No more than all of the team's tiles have.
    const std::int64_t wanted =
        ceil_divide(chunks * ceil_divide(stream.units, stream.teams), warps) * warps;
    stream.ring_slots = static_cast<int>(std::min(slots, wanted));
    return stream;
  }
  // A third of the slots, about, lets chunks pass; the others hold what they get.
  stream.retention = ColumnRetention::part;
  stream.ring_slots = static_cast<int>(std::max<std::int64_t>(1, (slots / warps + 1) / 3) * warps);
  stream.held_slots = static_cast<int>(slots) - stream.ring_slots;
  constexpr double l2_share = 0.5;  // That lines which are wanted again may fill.
  stream.cached =
      static_cast<int>(l2_share * static_cast<double>(device.l2_bytes) /
                       static_cast<double>(slot_bytes * stream.teams * config.blocks_per_tile));
  return stream;
}

unsigned int blocks_of(const ColumnStream& stream) {
  return static_cast<unsigned int>(stream.teams) * stream.blocks_per_tile.divisor();
}

class StreamColumns final : public TypedVariant<StreamColumnsConfig> {
 public:
  explicit StreamColumns(ResidentBlocks resident_blocks)
      : resident_blocks_(std::move(resident_blocks)) {}

  std::string_view name() const noexcept override { return "stream_columns"; }
  bool deterministic() const noexcept override { return true; }

 private:
  bool blocks_wait(const StreamColumnsConfig& config) const override {
    return config.blocks_per_tile > 1;
  }

  Support walks(const Problem& problem) const override { return supports_columns(problem); }

  Support supports_problem(const Problem& problem, const DeviceInfo& device) const override {
    if (Support support = supports_hopper_code(device, "bulk copies"); !support.ok) return support;
    const int full = full_vec_width(problem.desc().x_type);
    const ColumnGeometry geometry = *column_geometry(problem);
    if (!columns_at_vectors(geometry, full)) {
      return Support::no("the width of " + std::to_string(geometry.width) +
                         " and all strides must be multiples of " + std::to_string(full) +
                         ", which are 16 bytes");
    }
    if (tiles_of(problem).empty()) {
      return Support::no("groups of " + std::to_string(geometry.group_width.divisor()) +
                         " columns are too wide for a block, whose tile has at most " +
                         std::to_string(widest_tile(problem)));
    }
    return Support::yes();
  }

  Support supports_config(const Problem& problem, const DeviceInfo& device,
                          const StreamColumnsConfig& config) const override {
    const ColumnGeometry geometry = *column_geometry(problem);
    const int full = full_vec_width(problem.desc().x_type);
    const std::int64_t most_tile = std::min<std::int64_t>(geometry.width, widest_tile(problem));
    if (Support support = supports_tile_of_groups(geometry, config.tile, full, most_tile);
        !support.ok) {
      return support;
    }
    if (config.blocks_per_processor < 1 || config.blocks_per_processor > most_per_processor) {
      return Support::no("blocks_per_processor=" + std::to_string(config.blocks_per_processor) +
                         " must be from 1 to " + std::to_string(most_per_processor));
    }
    const int most_warps =
        most_working_warps(problem, geometry, config.tile, config.blocks_per_processor);
    if (config.statistics_warps < 1 || config.statistics_warps > most_warps ||
        !threads_over_tile(problem, geometry, config.tile, config.statistics_warps)) {
      return Support::no("statistics_warps=" + std::to_string(config.statistics_warps) +
                         " must be from 1 to " + std::to_string(most_warps) +
                         " and a multiple of " +
                         std::to_string(warps_over_tile(problem, geometry, config.tile)) +
                         ", which lie over tile=" + std::to_string(config.tile));
    }
    if (config.output_warps < config.statistics_warps ||
        config.output_warps % config.statistics_warps != 0 ||
        config.output_warps > most_warps - config.statistics_warps) {
      return Support::no(
          "output_warps=" + std::to_string(config.output_warps) +
          " must be a multiple of statistics_warps=" + std::to_string(config.statistics_warps) +
          ", together up to " + std::to_string(most_warps) +
          " with blocks_per_processor=" + std::to_string(config.blocks_per_processor));
    }
    if (config.slots_per_warp < 1 || config.slots_per_warp > most_slots_per_warp) {
      return Support::no("slots_per_warp=" + std::to_string(config.slots_per_warp) +
                         " must be from 1 to " + std::to_string(most_slots_per_warp));
    }
    const int most_blocks = largest_column_team(device, config);
    if (config.blocks_per_tile < 1 || config.blocks_per_tile > most_blocks) {
      return Support::no(
          "blocks_per_tile=" + std::to_string(config.blocks_per_tile) + " must be from 1 to " +
          std::to_string(most_blocks) +
          (device.cooperative_launch ? "" : " on a device without cooperative launches"));
    }
    if (in_cluster(config) && !is_cluster_size(config.blocks_per_tile)) {
      return Support::no("blocks_per_tile=" + std::to_string(config.blocks_per_tile) +
                         " must be from 2 to " + std::to_string(most_cluster_blocks) +
                         " with exchange=cluster");
    }
    const ColumnStream stream = stream_of(problem, device, config);
    if (ceil_divide(geometry.positions, stream.chunk_positions.divisor()) <
        config.blocks_per_tile) {
      return Support::no("blocks_per_tile=" + std::to_string(config.blocks_per_tile) +
                         " leaves blocks without a chunk of a tile");
    }
    if (stream.ring_slots < 1) {
      return Support::no("slots_per_warp=" + std::to_string(config.slots_per_warp) +
                         ",tile=" + std::to_string(config.tile) + ",output_warps=" +
                         std::to_string(config.output_warps) + " leave no room for a slot");
    }
    return Support::yes();
  }

  std::vector<StreamColumnsConfig> candidates(const Problem& problem,
                                              const DeviceInfo& device) const override {
    const ColumnGeometry geometry = *column_geometry(problem);
    std::vector<StreamColumnsConfig> list;
    StreamColumnsConfig config;
    for (const int tile : tiles_of(problem)) {
      config.tile = tile;
      const int least = warps_over_tile(problem, geometry, tile);
      for (const int per_processor : {1, 2}) {
        config.blocks_per_processor = per_processor;
        // All warps take a share of the registers.
        const int most = most_working_warps(problem, geometry, tile, per_processor) / least;
        // Writing takes one to three times the instructions of moments.
        for (const int output_share : {1, 2, 3}) {
          const int statistics = most / (1 + output_share);
          if (statistics < 1) continue;
          config.statistics_warps = statistics * least;
          config.output_warps = output_share * statistics * least;
          for (const int slots_per_warp : {2, 4, 8}) {
            config.slots_per_warp = slots_per_warp;
            for (const int blocks : team_sizes_of(problem, device, config)) {
              config.blocks_per_tile = blocks;
              for (const Exchange exchange : {Exchange::cluster, Exchange::memory}) {
                config.exchange = exchange;
                if (!supports_config(problem, device, config).ok) continue;
                // Alone, a block has nothing to exchange.
                if (blocks == 1 && in_cluster(config)) continue;
                add_with_priorities(list, config, problem, device);
              }
            }
          }
        }
      }
    }
    return list;
  }

  double estimate(const Problem& problem, const DeviceInfo& device,
                  const StreamColumnsConfig& config) const override {
    const ColumnGeometry geometry = *column_geometry(problem);
    const ColumnStream stream = stream_of(problem, device, config);
    ColumnStreamWork work;
    work.blocks_per_tile = config.blocks_per_tile;
    work.blocks_per_processor = config.blocks_per_processor;
    work.exchange = config.exchange;
    work.tiles = stream.tiles.count;
    work.units = stream.units;
    work.teams = stream.teams;
    work.positions = geometry.positions;
    work.chunks = ceil_divide(ceil_divide(geometry.positions, stream.chunk_positions.divisor()),
                              config.blocks_per_tile);
    work.slots = stream.slots();
    work.held = stream.retention == ColumnRetention::tile ? work.chunks : stream.held_slots;
    work.cached = stream.cached;
    work.chunk_positions = stream.chunk_positions.divisor();
    work.tile = config.tile;
    work.contiguous = geometry.x_position == config.tile;
    work.statistics = stream.statistics;
    work.output = stream.output;
    work.loaders = stream.loaders;
    work.pieces = stream.pieces;
    work.group_width = static_cast<int>(geometry.group_width.divisor());
    work.affine = geometry.affine;
    return estimate_stream_columns_us(problem, device, work);
  }

  Result<std::unique_ptr<const Executable>> make(const Problem& problem, const DeviceInfo& device,
                                                 const StreamColumnsConfig& config) const override {
    const DType type = problem.desc().x_type;
    ColumnStream stream = stream_of(problem, device, config);
    KernelLaunch launch;
    launch.name = "stream_columns_kernel";
    launch.least_ptx_version = hopper_ptx_version;
    launch.kernel = stream_columns_kernel_address(type, form_of_call(problem));
    launch.blocks = blocks_of(stream);
    launch.threads = 32 * stream.warps();
    launch.shared_bytes =
        stream.ring_at + stream.slots() * static_cast<int>(stream.chunk_positions.divisor()) *
                             config.tile * static_cast<int>(size_of(type)) * input_tensors(problem);
    if (in_cluster(config)) {
      launch.cluster_blocks = config.blocks_per_tile;
    } else if (config.blocks_per_tile > 1) {
      launch.grid = GridKind::cooperative;
    }
    const Result<std::int64_t> room = load_with_room(launch, device, resident_blocks_);
    if (!room.ok()) return room.status();
    if (in_cluster(config)) {
      // Not every processor is one of a whole cluster's. Teams that wait for others gain nothing.
      stream.teams = static_cast<int>(
          std::min<std::int64_t>(stream.teams, room.value() / config.blocks_per_tile));
      launch.blocks = blocks_of(stream);
    }
    const bool by_messages = config.blocks_per_tile > 1 && !in_cluster(config);
    return std::unique_ptr<const Executable>(
        std::make_unique<MessageExecutable<ColumnParams, ColumnStream>>(
            problem, device.ordinal, column_params(problem, config.cache()),
            &columns_start_at_vectors, full_vec_width(type), stream,
            by_messages ? stream.units * stream.unit_messages() : 0, launch));
  }

  /// Single elements cannot be bulk copies.
  Result<std::unique_ptr<const Executable>> make_fallback(
      const Problem& problem, const DeviceInfo& device, const StreamColumnsConfig&) const override {
    return prepare_scalar_columns(problem, device);
  }

  static constexpr int most_per_processor = 4;
  static constexpr int most_slots_per_warp = 16;

  /// Columns that half of them lie over: such tiles' positions are long.
  static int widest_tile(const Problem& problem) {
    return 32 *
           ((most_column_stream_warps(form_of_call(problem)) - column_exchange_warps - 1) / 2) *
           column_vec_width(problem.desc().x_type);
  }

  /// Widths of whole groups.
  static std::vector<int> tiles_of(const Problem& problem) {
    const ColumnGeometry geometry = *column_geometry(problem);
    std::vector<int> whole;
    for (const int tile :
         tile_widths(geometry, problem.desc().x_type, full_vec_width(problem.desc().x_type),
                     widest_tile(problem))) {
      if (tiles_have_whole_groups(geometry, tile)) whole.push_back(tile);
    }
    return whole;
  }

  static int largest_column_team(const DeviceInfo& device, const StreamColumnsConfig& config) {
    if (!device.cooperative_launch) return 1;
    return std::min(device.processors * config.blocks_per_processor, most_team_blocks);
  }

  /// Of which no block would be without a chunk; they fit if they hold a tile.
  static std::vector<int> team_sizes_of(const Problem& problem, const DeviceInfo& device,
                                        StreamColumnsConfig config) {
    const ColumnGeometry geometry = *column_geometry(problem);
    config.blocks_per_tile = 1;
    const ColumnStream alone = stream_of(problem, device, config);
    const std::int64_t chunks = ceil_divide(geometry.positions, alone.chunk_positions.divisor());
    std::vector<int> possible;
    for (const int blocks : powers_and_shares(largest_column_team(device, config))) {
      if (blocks <= chunks) possible.push_back(blocks);
    }
    return team_sizes(possible, alone.units, device, [&](int blocks) {
      config.blocks_per_tile = blocks;
      return stream_of(problem, device, config).retention == ColumnRetention::tile;
    });
  }

  const ResidentBlocks resident_blocks_;
};

}  // namespace

std::unique_ptr<const KernelVariant> make_stream_columns(ResidentBlocks resident_blocks) {
  return std::make_unique<StreamColumns>(std::move(resident_blocks));
}

const KernelVariant& stream_columns_variant() {
  static const KernelVariant& variant = *make_stream_columns(resident_blocks).release();
  return variant;
}

}  // namespace fastnorm::cuda
