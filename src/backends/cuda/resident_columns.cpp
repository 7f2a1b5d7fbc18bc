// SPDX-License-Identifier: Apache-2.0
// Strategy resident_columns: tiles of whole groups of columns, each in the registers of a block or
// of a cluster of blocks between its one read and its output.
#include "backends/cuda/column_config.hpp"
#include "backends/cuda/column_matrix.hpp"
#include "backends/cuda/column_space.hpp"
#include "backends/cuda/coresidency.hpp"
#include "backends/cuda/hopper_code.hpp"
#include "backends/cuda/kernel_executable.hpp"
#include "backends/cuda/kernel_launch.hpp"
#include "backends/cuda/priorities.hpp"
#include "backends/cuda/resident_columns_cost.hpp"
#include "backends/cuda/resident_columns_kernel.hpp"
#include "backends/cuda/resident_space.hpp"
#include "backends/cuda/row_space.hpp"
#include "backends/cuda/strategies.hpp"
#include "core/integer.hpp"
#include "core/typed_variant.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fastnorm::cuda {
namespace {

constexpr int most_warps = most_resident_columns_threads / 32;
/// Blocks below that share a processor's schedulers badly.
constexpr int fewest_warps = 2;

/// As the kernel is instantiated.
const std::vector<int>& unrolls(int vec_width, DType type) {
  static const auto& scalar = *new std::vector<int>{16};
  static const auto& vector = *new std::vector<int>{4, 8, 16};
  static const auto& half_vector = *new std::vector<int>{4, 8, 16, 20};
  if (vec_width == 1) return scalar;
  return size_of(type) == 2 ? half_vector : vector;
}

std::string list_of(const std::vector<int>& values) {
  std::string list;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) list += i + 1 < values.size() ? ", " : " or ";
    list += std::to_string(values[i]);
  }
  return list;
}

/// Positions that a warp of the block has at once.
int positions_at_once(const ColumnThreads& threads) { return 32 >> threads.log2_lanes; }

/// Of every block of a cluster but the last.
std::int64_t part_positions(const ColumnGeometry& geometry, int cluster) {
  return ceil_divide(geometry.positions, cluster);
}

/// Of a block, those that may have affine maps: which there are, a call's pointers tell.
int mapped_positions(const ColumnGeometry& geometry, int cluster) {
  if (geometry.affine == AffineAxis::column) return 0;
  return static_cast<int>(part_positions(geometry, cluster));
}

/// config's tile and threads are possible.
ResidentColumns shape_of(const ColumnGeometry& geometry, const ResidentColumnsConfig& config) {
  ResidentColumns shape;
  shape.tiles = column_tiles(geometry, config.tile);
  shape.tile_count = FastDivide(static_cast<std::uint32_t>(shape.tiles.count));
  shape.threads = *column_threads(geometry, config.tile, config.vec_width, config.threads / 32);
  shape.blocks = FastDivide(static_cast<std::uint32_t>(config.cluster));
  shape.part_positions = static_cast<int>(part_positions(geometry, config.cluster));
  const auto group_width = static_cast<int>(geometry.group_width.divisor());
  shape.cell_columns = group_width % config.vec_width == 0 ? config.vec_width : 1;
  shape.cells = static_cast<int>(ceil_divide(config.tile, shape.cell_columns));
  shape.cells_per_group = group_width / shape.cell_columns;
  shape.groups_are_warps =
      config.cluster == 1 && shape.threads.position_warps == 1 && shape.cells_per_group == 1;
  // No more lanes than there is to merge.
  const int cell_lanes = ceil_log2(shape.cells_per_group);
  int& group_lanes = shape.threads.log2_group_lanes;
  group_lanes = std::min(group_lanes, cell_lanes + ceil_log2(shape.threads.position_warps));
  shape.log2_cell_lanes = std::min(group_lanes, cell_lanes);
  return shape;
}

class ResidentColumnsVariant final : public TypedVariant<ResidentColumnsConfig> {
 public:
  explicit ResidentColumnsVariant(ResidentBlocks resident_blocks)
      : resident_blocks_(std::move(resident_blocks)) {}

  std::string_view name() const noexcept override { return "resident_columns"; }
  bool deterministic() const noexcept override { return true; }

 private:
  bool blocks_wait(const ResidentColumnsConfig& config) const override {
    return config.cluster > 1;
  }

  Support walks(const Problem& problem) const override { return supports_columns(problem); }

  Support supports_problem(const Problem& problem, const DeviceInfo& device) const override {
    if (Support support = supports_resident(problem); !support.ok) return support;
    if (shapes(problem, device).empty()) {
      const ColumnGeometry geometry = *column_geometry(problem);
      return Support::no("groups of " + std::to_string(geometry.group_width.divisor()) +
                         " columns and " + std::to_string(geometry.positions) +
                         " positions do not fit the registers of a block" +
                         (most_cluster(device) > 1 ? " or a cluster" : ""));
    }
    return Support::yes();
  }

  Support supports_config(const Problem& problem, const DeviceInfo& device,
                          const ResidentColumnsConfig& config) const override {
    const ColumnGeometry geometry = *column_geometry(problem);
    if (Support support = supports_column_vec_width(problem, geometry, config.vec_width);
        !support.ok) {
      return support;
    }
    const std::vector<int>& possible = unrolls(config.vec_width, problem.desc().x_type);
    if (std::find(possible.begin(), possible.end(), config.unroll) == possible.end()) {
      return Support::no("unroll=" + std::to_string(config.unroll) + " must be " +
                         list_of(possible) + " with vec_width=" + std::to_string(config.vec_width));
    }
    if (Support support =
            supports_tile_of_groups(geometry, config.tile, config.vec_width, geometry.width);
        !support.ok) {
      return support;
    }
    const int most_threads = std::min(most_resident_columns_threads, device.max_threads_per_block);
    if (Support support = supports_threads_over_tile(geometry, config.tile, config.vec_width,
                                                     config.threads, most_threads);
        !support.ok) {
      return support;
    }
    if (config.cluster != 1 && !is_cluster_size(config.cluster)) {
      return Support::no("cluster=" + std::to_string(config.cluster) + " must be from 1 to " +
                         std::to_string(most_cluster_blocks));
    }
    if (config.cluster > 1) {
      if (Support support = supports_hopper_code(device, "clusters"); !support.ok) return support;
    }
    const std::int64_t part = part_positions(geometry, config.cluster);
    if ((config.cluster - 1) * part >= geometry.positions) {
      return Support::no("cluster=" + std::to_string(config.cluster) + " is too many for " +
                         std::to_string(geometry.positions) + " positions");
    }
    const std::int64_t tiles = column_tiles(geometry, config.tile).count;
    if (geometry.samples * tiles > most_grid_blocks / config.cluster) {
      return Support::no("tile=" + std::to_string(config.tile) + ",cluster=" +
                         std::to_string(config.cluster) + " make more blocks than a grid has");
    }
    const ColumnThreads threads =
        *column_threads(geometry, config.tile, config.vec_width, config.threads / 32);
    const std::int64_t room =
        std::int64_t{config.unroll} * threads.position_warps * positions_at_once(threads);
    if (part > room) {
      return Support::no(
          "threads=" + std::to_string(config.threads) + ",unroll=" + std::to_string(config.unroll) +
          " hold " + std::to_string(room) + " positions of tile=" + std::to_string(config.tile) +
          "; a block's part of it has " + std::to_string(part));
    }
    const int shared = placed(problem, geometry, config).second;
    if (shared > device.shared_bytes_per_block) {
      return Support::no(
          "tile=" + std::to_string(config.tile) + ",threads=" + std::to_string(config.threads) +
          ",cluster=" + std::to_string(config.cluster) + " need " + std::to_string(shared) +
          " bytes of shared memory; a block has " + std::to_string(device.shared_bytes_per_block));
    }
    return Support::yes();
  }

  std::vector<ResidentColumnsConfig> candidates(const Problem& problem,
                                                const DeviceInfo& device) const override {
    std::vector<ResidentColumnsConfig> list;
    for (const ResidentColumnsConfig& config : shapes(problem, device)) {
      add_with_priorities(list, config, problem, device);
    }
    return list;
  }

  double estimate(const Problem& problem, const DeviceInfo& device,
                  const ResidentColumnsConfig& config) const override {
    const ColumnGeometry geometry = *column_geometry(problem);
    const ResidentColumns shape = shape_of(geometry, config);
    ResidentColumnsWork work;
    work.blocks = geometry.samples * shape.tiles.count * config.cluster;
    work.tile_bytes = config.tile * static_cast<int>(size_of(problem.desc().x_type));
    work.alone = config.tile >= geometry.width;
    work.held = static_cast<double>(shape.part_positions) /
                (config.unroll * shape.threads.position_warps * positions_at_once(shape.threads));
    work.groups_are_warps = shape.groups_are_warps;
    return estimate_resident_columns_us(problem, device, config, work);
  }

  Result<std::unique_ptr<const Executable>> make(
      const Problem& problem, const DeviceInfo& device,
      const ResidentColumnsConfig& config) const override {
    const auto [shape, shared_bytes] = placed(problem, *column_geometry(problem), config);
    KernelLaunch launch;
    launch.name = "resident_columns_kernel";
    launch.kernel = resident_columns_kernel_address(problem.desc().x_type, config.shape(),
                                                    form_of_call(problem));
    launch.blocks = static_cast<unsigned int>(column_geometry(problem)->samples *
                                              shape.tiles.count * config.cluster);
    launch.threads = config.threads;
    launch.shared_bytes = shared_bytes;
    launch.cluster_blocks = config.cluster;
    if (config.cluster > 1) launch.least_ptx_version = hopper_ptx_version;
    const Result<std::int64_t> room = load_with_room(launch, device, resident_blocks_);
    if (!room.ok()) return room.status();
    return std::unique_ptr<const Executable>(
        std::make_unique<KernelExecutable<ColumnParams, ResidentColumns>>(
            problem, device.ordinal, column_params(problem, config.cache()),
            &columns_start_at_vectors, config.vec_width, launch, shape));
  }

  Result<std::unique_ptr<const Executable>> make_fallback(
      const Problem& problem, const DeviceInfo& device,
      const ResidentColumnsConfig& config) const override {
    if (config.vec_width == 1 && config.cluster == 1) return std::unique_ptr<const Executable>();
    return prepare_scalar_columns(problem, device);
  }

  static std::pair<ResidentColumns, int> placed(const Problem& problem,
                                                const ColumnGeometry& geometry,
                                                const ResidentColumnsConfig& config) {
    ResidentColumns shape = shape_of(geometry, config);
    const int bytes =
        place_resident_columns(problem.desc().x_type, shape, most_pieces(geometry, config.tile),
                               mapped_positions(geometry, config.cluster));
    return {shape, bytes};
  }

  static int most_cluster(const DeviceInfo& device) {
    return supports_hopper_code(device, "clusters").ok ? most_cluster_blocks : 1;
  }

  /// Blocks that may share a tile. A cluster lies within one of the groups that the device's
  /// processors come in (GPCs), whose number of processors need not be a power of two: a block less
  /// may let all clusters run at once. Of more clusters, others fill what one leaves over.
  static std::vector<int> clusters_of(const ColumnGeometry& geometry, int tile,
                                      const DeviceInfo& device) {
    constexpr std::int64_t few_waves = 2;
    const std::int64_t tiles = geometry.samples * column_tiles(geometry, tile).count;
    std::vector<int> sizes;
    for (int size = 1; size <= most_cluster(device); ++size) {
      const bool power_of_two = (size & (size - 1)) == 0;
      if (power_of_two || tiles * size <= few_waves * device.processors) sizes.push_back(size);
    }
    return sizes;
  }

  /// The smallest block that holds its part; none if there is no such.
  static std::optional<int> fitting_threads(const ColumnGeometry& geometry,
                                            const ResidentColumnsConfig& config) {
    const int side_by_side = column_warps(config.tile, config.vec_width);
    const auto one = column_threads(geometry, config.tile, config.vec_width, side_by_side);
    const std::int64_t further = ceil_divide(part_positions(geometry, config.cluster),
                                             std::int64_t{config.unroll} * positions_at_once(*one));
    if (further > most_warps / side_by_side) return std::nullopt;
    return 32 * side_by_side * static_cast<int>(further);
  }

  /// Tiles, clusters and blocks that hold them: of those, the ones that have work for the device,
  /// if there are any.
  std::vector<ResidentColumnsConfig> shapes(const Problem& problem,
                                            const DeviceInfo& device) const {
    const ColumnGeometry geometry = *column_geometry(problem);
    const DType type = problem.desc().x_type;
    const int full = column_vec_width(type);
    ResidentColumnsConfig config;
    config.vec_width = columns_at_vectors(geometry, full) ? full : 1;
    std::vector<ResidentColumnsConfig> all;
    for (const int tile : tiles_of(geometry, type, config.vec_width)) {
      config.tile = tile;
      for (const int cluster : clusters_of(geometry, tile, device)) {
        config.cluster = cluster;
        for (const int unroll : unrolls(config.vec_width, type)) {
          config.unroll = unroll;
          const std::optional<int> threads = fitting_threads(geometry, config);
          if (!threads) continue;
          config.threads = *threads;
          if (supports_config(problem, device, config).ok) all.push_back(config);
        }
      }
    }
    const auto blocks_of = [&](const ResidentColumnsConfig& some) {
      return geometry.samples * column_tiles(geometry, some.tile).count * some.cluster;
    };
    keep_if_any(all, [&](const ResidentColumnsConfig& some) {
      return blocks_of(some) >= device.processors / 4;
    });
    keep_if_any(
        all, [&](const ResidentColumnsConfig& some) { return some.threads >= 32 * fewest_warps; });
    // What does not need a cluster for want of room or of blocks loses by it.
    keep_if_any(all, [&](const ResidentColumnsConfig& some) {
      return some.cluster == 1 || blocks_of(some) <= std::int64_t{8} * device.processors;
    });
    return all;
  }

  template <class Keep>
  static void keep_if_any(std::vector<ResidentColumnsConfig>& list, Keep&& keep) {
    if (std::none_of(list.begin(), list.end(), keep)) return;
    list.erase(std::remove_if(list.begin(), list.end(), [&](const auto& c) { return !keep(c); }),
               list.end());
  }

  /// Widths of whole groups, also such as are narrower than other strategies take them: neighbours
  /// run at the same time, so that the L2 has what both of them want of a sector.
  static std::vector<int> tiles_of(const ColumnGeometry& geometry, DType type, int vec_width) {
    std::vector<int> widths = tile_widths(geometry, type, vec_width, 32 * most_warps * vec_width);
    const std::int64_t group = geometry.group_width.divisor();
    const std::int64_t grain = std::lcm(group, std::int64_t{vec_width});
    const auto least = 32 / static_cast<std::int64_t>(size_of(type));
    for (const std::int64_t narrow : {std::lcm(grain, std::int64_t{32}), 2 * grain, grain}) {
      if (narrow >= least && narrow < widths.back()) widths.push_back(static_cast<int>(narrow));
    }
    std::vector<int> whole;
    for (const int tile : widths) {
      if (tiles_have_whole_groups(geometry, tile)) whole.push_back(tile);
    }
    return whole;
  }

  const ResidentBlocks resident_blocks_;
};

}  // namespace

std::unique_ptr<const KernelVariant> make_resident_columns(ResidentBlocks resident_blocks) {
  return std::make_unique<ResidentColumnsVariant>(std::move(resident_blocks));
}

const KernelVariant& resident_columns_variant() {
  static const KernelVariant& variant = *make_resident_columns(resident_blocks).release();
  return variant;
}

}  // namespace fastnorm::cuda
