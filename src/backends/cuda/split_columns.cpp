// SPDX-License-Identifier: Apache-2.0
// Strategy split_columns: several blocks a sample and two kernels, for matrices of any width and
// groups of any width.
#include "backends/cuda/column_config.hpp"
#include "backends/cuda/column_cost_model.hpp"
#include "backends/cuda/column_matrix.hpp"
#include "backends/cuda/column_space.hpp"
#include "backends/cuda/cuda_status.hpp"
#include "backends/cuda/device_guard.hpp"
#include "backends/cuda/kernel_launch.hpp"
#include "backends/cuda/priorities.hpp"
#include "backends/cuda/row_space.hpp"
#include "backends/cuda/split_columns_kernels.hpp"
#include "backends/cuda/strategies.hpp"
#include "core/integer.hpp"
#include "core/typed_variant.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace fastnorm::cuda {
namespace {

constexpr int most_threads = 512;
constexpr int most_parts = 4096;

std::size_t slot_bytes(const Problem& problem) {
  return problem.accumulation_type() == DType::f64 ? 32 : 16;
}

/// Columns of the widest tile: each has a thread's place.
int widest_tile(int vec_width) { return most_threads * vec_width; }

/// The configuration is supported.
ColumnSplit split_of(const ColumnGeometry& geometry, const SplitColumnsConfig& config) {
  ColumnSplit split;
  split.tiles = column_tiles(geometry, config.tile);
  split.threads = *column_threads(geometry, config.tile, config.vec_width, config.threads / 32);
  split.part_len = ceil_divide(geometry.positions, config.parts);
  split.parts = static_cast<int>(ceil_divide(geometry.positions, split.part_len));
  return split;
}

std::int64_t blocks_of(const ColumnGeometry& geometry, const ColumnSplit& split) {
  return geometry.samples * split.parts * split.tiles.count;
}

class SplitColumnsExecutable final : public Executable {
 public:
  SplitColumnsExecutable(const Problem& problem, int device, const SplitColumnsConfig& config,
                         const ColumnSplit& split, const KernelLaunch& statistics,
                         const KernelLaunch& apply)
      : problem_(problem),
        params_(column_params(problem, config.cache())),
        split_(split),
        vec_width_(config.vec_width),
        device_(device),
        statistics_(statistics),
        apply_(apply) {}

  std::size_t workspace_bytes() const noexcept override {
    const ColumnGeometry& geometry = params_.geometry;
    return static_cast<std::size_t>(geometry.samples * split_.parts *
                                    split_.tiles.pieces(geometry.groups)) *
           slot_bytes(problem_);
  }

  bool accepts(const NormArgs& args) const noexcept override {
    return columns_start_at_vectors(problem_, args, vec_width_);
  }

  Status launch(const NormArgs& args, void* workspace, Stream stream) const override {
    const DeviceGuard guard(device_);
    if (guard.error() != cudaSuccess) return to_status(guard.error(), "cudaSetDevice");
    ColumnParams params = params_;
    params.tensors = args;
    ColumnSplit split = split_;
    void* arguments[] = {&params, &split, &workspace};
    if (Status status = statistics_.enqueue(arguments, stream); !status.ok()) return status;
    return apply_.enqueue(arguments, stream);
  }

 private:
  const Problem problem_;
  const ColumnParams params_;
  const ColumnSplit split_;
  const int vec_width_;
  const int device_;
  const KernelLaunch statistics_;
  const KernelLaunch apply_;
};

class SplitColumns final : public TypedVariant<SplitColumnsConfig> {
 public:
  std::string_view name() const noexcept override { return "split_columns"; }
  bool deterministic() const noexcept override { return true; }

 private:
  Support walks(const Problem& problem) const override { return supports_columns(problem); }

  Support supports_problem(const Problem&, const DeviceInfo&) const override {
    return Support::yes();
  }

  Support supports_config(const Problem& problem, const DeviceInfo& device,
                          const SplitColumnsConfig& config) const override {
    const ColumnGeometry geometry = *column_geometry(problem);
    if (Support support = supports_column_vec_width(problem, geometry, config.vec_width);
        !support.ok) {
      return support;
    }
    const auto most_tile =
        static_cast<int>(std::min<std::int64_t>(geometry.width, widest_tile(config.vec_width)));
    if (config.tile < config.vec_width || config.tile > most_tile ||
        config.tile % config.vec_width != 0) {
      return Support::no("tile=" + std::to_string(config.tile) + " must be a multiple of " +
                         std::to_string(config.vec_width) + " up to " + std::to_string(most_tile));
    }
    if (Support support = supports_threads_over_tile(geometry, config.tile, config.vec_width,
                                                     config.threads, most_threads);
        !support.ok) {
      return support;
    }
    const std::int64_t most = std::min<std::int64_t>(most_parts, geometry.positions);
    if (config.parts < 1 || config.parts > most) {
      return Support::no("parts=" + std::to_string(config.parts) + " must be from 1 to " +
                         std::to_string(most));
    }
    const ColumnSplit split = split_of(geometry, config);
    if (blocks_of(geometry, split) > most_grid_blocks) {
      return Support::no("tile=" + std::to_string(config.tile) + ",parts=" +
                         std::to_string(config.parts) + " make more blocks than a grid has");
    }
    const SplitColumnsShared shared =
        split_columns_shared(problem.desc().x_type, split, most_pieces(geometry, config.tile));
    if (std::max(shared.statistics, shared.apply) > device.shared_bytes_per_block) {
      return Support::no(
          "tile=" + std::to_string(config.tile) + ",threads=" + std::to_string(config.threads) +
          " need " + std::to_string(std::max(shared.statistics, shared.apply)) +
          " bytes of shared memory; a block has " + std::to_string(device.shared_bytes_per_block));
    }
    return Support::yes();
  }

  std::vector<SplitColumnsConfig> candidates(const Problem& problem,
                                             const DeviceInfo& device) const override {
    const ColumnGeometry geometry = *column_geometry(problem);
    const int full = column_vec_width(problem.desc().x_type);
    SplitColumnsConfig config;
    config.vec_width = columns_at_vectors(geometry, full) ? full : 1;
    std::vector<SplitColumnsConfig> list;
    for (const int tile : tile_widths(geometry, problem.desc().x_type, config.vec_width,
                                      widest_tile(config.vec_width))) {
      config.tile = tile;
      const int least = column_warps(tile, config.vec_width);
      for (const int warps : {4, 8, 16}) {
        if (least > warps && warps < most_threads / 32) continue;
        config.threads = 32 * std::max(least, warps / least * least);
        for (const int parts : part_counts(geometry, device, config)) {
          config.parts = parts;
          add(list, config, problem, device);
        }
      }
    }
    return list;
  }

  double estimate(const Problem& problem, const DeviceInfo& device,
                  const SplitColumnsConfig& config) const override {
    const ColumnGeometry geometry = *column_geometry(problem);
    const ColumnSplit split = split_of(geometry, config);
    ColumnWork work;
    work.blocks = blocks_of(geometry, split);
    work.threads = split.threads;
    work.tile = config.tile;
    work.vec_width = config.vec_width;
    work.positions = split.part_len;
    work.parts = split.parts;
    work.tiles = split.tiles.count;
    work.pieces = most_pieces(geometry, config.tile);
    work.group_width = static_cast<int>(geometry.group_width.divisor());
    work.affine = geometry.affine;
    work.cache = config.cache();
    return estimate_split_columns_us(problem, device, work);
  }

  Result<std::unique_ptr<const Executable>> make(const Problem& problem, const DeviceInfo& device,
                                                 const SplitColumnsConfig& config) const override {
    const ColumnGeometry geometry = *column_geometry(problem);
    const ColumnSplit split = split_of(geometry, config);
    const DType type = problem.desc().x_type;
    const SplitColumnsKernels kernels =
        split_columns_kernels(type, config.vec_width, form_of_call(problem));
    const SplitColumnsShared shared =
        split_columns_shared(type, split, most_pieces(geometry, config.tile));
    KernelLaunch statistics;
    statistics.name = "split_columns_statistics_kernel";
    statistics.kernel = kernels.statistics;
    statistics.blocks = static_cast<unsigned int>(blocks_of(geometry, split));
    statistics.threads = config.threads;
    statistics.shared_bytes = shared.statistics;
    KernelLaunch apply = statistics;
    apply.name = "split_columns_apply_kernel";
    apply.kernel = kernels.apply;
    apply.shared_bytes = shared.apply;
    if (Status status = statistics.load(device.ordinal); !status.ok()) return status;
    if (Status status = apply.load(device.ordinal); !status.ok()) return status;
    return std::unique_ptr<const Executable>(std::make_unique<SplitColumnsExecutable>(
        problem, device.ordinal, config, split, statistics, apply));
  }

  Result<std::unique_ptr<const Executable>> make_fallback(
      const Problem& problem, const DeviceInfo& device,
      const SplitColumnsConfig& config) const override {
    if (config.vec_width == 1) return std::unique_ptr<const Executable>();
    return prepare_scalar_columns(problem, device);
  }

  /// Those that fill the device a few times, and no fewer positions than the threads have at once.
  static std::vector<int> part_counts(const ColumnGeometry& geometry, const DeviceInfo& device,
                                      const SplitColumnsConfig& config) {
    const ColumnThreads threads =
        *column_threads(geometry, config.tile, config.vec_width, config.threads / 32);
    const std::int64_t at_once = std::int64_t{threads.position_warps} * (32 >> threads.log2_lanes);
    const std::int64_t most = std::clamp<std::int64_t>(geometry.positions / at_once, 1, most_parts);
    const std::int64_t tiles = geometry.samples * column_tiles(geometry, config.tile).count;
    std::vector<int> counts;
    for (const int fills : {1, 2, 4, 8}) {
      const std::int64_t wanted = ceil_divide(std::int64_t{fills} * device.processors, tiles);
      const auto parts = static_cast<int>(std::clamp<std::int64_t>(wanted, 1, most));
      if (counts.empty() || counts.back() != parts) counts.push_back(parts);
    }
    return counts;
  }

  /// With the orders and priorities worth trying.
  static void add(std::vector<SplitColumnsConfig>& list, SplitColumnsConfig config,
                  const Problem& problem, const DeviceInfo& device) {
    for (const WalkOrder order : {WalkOrder::forward, WalkOrder::backward}) {
      config.second_read = order;
      add_with_priorities(list, config, problem, device);
      if (!exceeds_l2(problem, device)) return;
    }
  }
};

}  // namespace

const KernelVariant& split_columns_variant() {
  static const KernelVariant& variant = *new SplitColumns;
  return variant;
}

Result<std::unique_ptr<const Executable>> prepare_scalar_columns(const Problem& problem,
                                                                 const DeviceInfo& device) {
  const ColumnGeometry geometry = *column_geometry(problem);
  SplitColumnsConfig config;
  config.vec_width = 1;
  config.tile = tile_widths(geometry, problem.desc().x_type, 1, widest_tile(1) / 2).front();
  config.threads = 32 * column_warps(config.tile, 1);
  const std::int64_t tiles = geometry.samples * column_tiles(geometry, config.tile).count;
  const std::int64_t wanted = ceil_divide(4 * std::int64_t{device.processors}, tiles);
  config.parts = static_cast<int>(
      std::clamp<std::int64_t>(wanted, 1, std::min<std::int64_t>(geometry.positions, most_parts)));
  return split_columns_variant().prepare(problem, device, Config::of(config));
}

}  // namespace fastnorm::cuda
