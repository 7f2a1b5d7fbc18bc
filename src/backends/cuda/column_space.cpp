// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/column_space.hpp"

#include "backends/cuda/column_matrix.hpp"
#include "backends/cuda/row_space.hpp"
#include "core/integer.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>

namespace fastnorm::cuda {
namespace {

constexpr int sector_bytes = 32;
/// Of a position, in one go: below, memory's bursts are cut up.
constexpr int least_tile_bytes = 64;

/// Lanes of a warp side by side: as many as leave hardly one without columns, or the fewest of them
/// where no more than `most_warps` would lie over the tile.
int log2_lanes_of(int vectors, int most_warps) {
  int best = 5;
  std::int64_t best_lanes = ceil_divide(vectors, 32) << 5;
  for (int log2 = 5; log2 >= 0; --log2) {
    const std::int64_t warps = ceil_divide(vectors, 1 << log2);
    if (warps > most_warps) break;
    const std::int64_t lanes = warps << log2;
    if (8 * lanes <= 9 * std::int64_t{vectors}) return log2;
    if (lanes < best_lanes) {
      best = log2;
      best_lanes = lanes;
    }
  }
  return best;
}

}  // namespace

int column_vec_width(DType type) noexcept {
  return std::min(most_column_vec, full_vec_width(type));
}

int column_warps(int tile, int vec_width, int most_warps) noexcept {
  const int vectors = static_cast<int>(ceil_divide(tile, vec_width));
  return static_cast<int>(ceil_divide(vectors, 1 << log2_lanes_of(vectors, most_warps)));
}

std::optional<ColumnThreads> column_threads(const ColumnGeometry& geometry, int tile, int vec_width,
                                            int warps, int most_column_warps) {
  ColumnThreads threads;
  threads.log2_lanes =
      log2_lanes_of(static_cast<int>(ceil_divide(tile, vec_width)), most_column_warps);
  threads.column_warps = column_warps(tile, vec_width, most_column_warps);
  if (warps < threads.column_warps || warps % threads.column_warps != 0) return std::nullopt;
  threads.position_warps = warps / threads.column_warps;
  threads.log2_group_lanes =
      std::min(5, floor_log2(std::max(1, 32 * warps / most_pieces(geometry, tile))));
  return threads;
}

ColumnTiles column_tiles(const ColumnGeometry& geometry, int tile) noexcept {
  return {tile, static_cast<int>(ceil_divide(geometry.width, tile))};
}

bool tiles_have_whole_groups(const ColumnGeometry& geometry, int tile) noexcept {
  return tile >= geometry.width || tile % geometry.group_width.divisor() == 0;
}

int most_pieces(const ColumnGeometry& geometry, int tile) noexcept {
  const std::int64_t width = geometry.group_width.divisor();
  const std::int64_t columns = std::min<std::int64_t>(tile, geometry.width);
  const std::int64_t groups = ceil_divide(columns, width);
  return static_cast<int>(tiles_have_whole_groups(geometry, tile) ? groups : groups + 1);
}

std::vector<int> tile_widths(const ColumnGeometry& geometry, DType type, int vec_width, int most) {
  const std::int64_t sector = sector_bytes / static_cast<std::int64_t>(size_of(type));
  const std::int64_t group = geometry.group_width.divisor();
  std::int64_t grain = std::lcm(group, sector);
  if (grain > most) grain = std::lcm(group, std::int64_t{vec_width});
  if (grain > most) grain = vec_width;
  const std::int64_t least =
      std::min(geometry.width, least_tile_bytes / static_cast<std::int64_t>(size_of(type)));

  std::vector<std::int64_t> wanted;
  for (const int shares : {1, 2, 3, 4, 6, 8, 16, 32}) {
    wanted.push_back(ceil_divide(geometry.width, shares));
  }
  for (std::int64_t columns = 64; columns <= most; columns *= 2) wanted.push_back(columns);
  std::sort(wanted.begin(), wanted.end(), std::greater<>());

  std::vector<int> widths;
  for (const std::int64_t columns : wanted) {
    std::int64_t width = std::min(ceil_divide(columns, grain) * grain, geometry.width);
    if (width > most) continue;
    if (width < least || (!widths.empty() && widths.back() == width)) continue;
    widths.push_back(static_cast<int>(width));
  }
  // Of the narrowest groups there may be none so far.
  if (widths.empty()) {
    widths.push_back(
        static_cast<int>(std::min<std::int64_t>(geometry.width, most / vec_width * vec_width)));
  }
  return widths;
}

Support supports_column_vec_width(const Problem& problem, const ColumnGeometry& geometry,
                                  int vec_width) {
  const int full = column_vec_width(problem.desc().x_type);
  if (vec_width != 1 && vec_width != full) {
    return Support::no("vec_width=" + std::to_string(vec_width) + " must be 1 or " +
                       std::to_string(full));
  }
  if (!columns_at_vectors(geometry, vec_width)) {
    return Support::no("vec_width=" + std::to_string(vec_width) +
                       " must divide the width and all strides");
  }
  return Support::yes();
}

Support supports_tile_of_groups(const ColumnGeometry& geometry, int tile, int grain,
                                std::int64_t most) {
  if (tile < grain || tile > most || tile % grain != 0 ||
      !tiles_have_whole_groups(geometry, tile)) {
    return Support::no("tile=" + std::to_string(tile) + " must be a multiple of " +
                       std::to_string(grain) + " columns and of a group's " +
                       std::to_string(geometry.group_width.divisor()) + ", up to " +
                       std::to_string(most));
  }
  return Support::yes();
}

Support supports_threads_over_tile(const ColumnGeometry& geometry, int tile, int vec_width,
                                   int threads, int most) {
  if (threads < 32 || threads > most || threads % 32 != 0 ||
      !column_threads(geometry, tile, vec_width, threads / 32)) {
    return Support::no("threads=" + std::to_string(threads) + " must be from 32 to " +
                       std::to_string(most) + " and a multiple of " +
                       std::to_string(32 * column_warps(tile, vec_width)) +
                       ", which lie over tile=" + std::to_string(tile));
  }
  return Support::yes();
}

bool columns_start_at_vectors(const Problem& problem, const NormArgs& args,
                              int vec_width) noexcept {
  const NormDesc& desc = problem.desc();
  const auto starts = [vec_width](const void* tensor, DType type) {
    const std::uintptr_t bytes = static_cast<std::uintptr_t>(vec_width) * size_of(type);
    return reinterpret_cast<std::uintptr_t>(tensor) % std::min<std::uintptr_t>(16, bytes) == 0;
  };
  return starts(args.x, desc.x_type) && starts(args.y, desc.y_type) &&
         starts(args.residual, desc.x_type) && starts(args.sum, desc.x_type);
}

}  // namespace fastnorm::cuda
