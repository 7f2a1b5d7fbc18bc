// SPDX-License-Identifier: Apache-2.0
/// What the column strategies share on the host: how matrices are cut.
#pragma once

#include "backends/cuda/device/column_params.hpp"
#include "core/backend.hpp"
#include "core/problem.hpp"

#include <fastnorm/norm_desc.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace fastnorm::cuda {

/// Columns that a thread has where vectors can be read.
int column_vec_width(DType type) noexcept;

/// The most warps of a block.
inline constexpr int most_block_warps = 32;

/// Warps that a position of the tile takes, side by side: up to `most_warps`, or as many as have a
/// lane for each vector.
int column_warps(int tile, int vec_width, int most_warps = most_block_warps) noexcept;

/// How `warps` of a block lie over a tile; none if they are not a multiple of column_warps().
std::optional<ColumnThreads> column_threads(const ColumnGeometry& geometry, int tile, int vec_width,
                                            int warps, int most_column_warps = most_block_warps);

ColumnTiles column_tiles(const ColumnGeometry& geometry, int tile) noexcept;

/// Pieces of groups that a tile has at most.
int most_pieces(const ColumnGeometry& geometry, int tile) noexcept;

/// Whether no group meets two tiles.
bool tiles_have_whole_groups(const ColumnGeometry& geometry, int tile) noexcept;

/// Widths worth trying, the widest first, of at most `most` columns: whole groups and whole sectors
/// of memory where the matrix has such.
std::vector<int> tile_widths(const ColumnGeometry& geometry, DType type, int vec_width, int most);

/// Whether a thread may have so many columns.
Support supports_column_vec_width(const Problem& problem, const ColumnGeometry& geometry,
                                  int vec_width);

/// Whether a tile of up to `most` columns may be so wide, of whole groups and multiples of `grain`.
Support supports_tile_of_groups(const ColumnGeometry& geometry, int tile, int grain,
                                std::int64_t most);

/// Whether so many threads, up to `most`, may lie over a tile.
Support supports_threads_over_tile(const ColumnGeometry& geometry, int tile, int vec_width,
                                   int threads, int most);

/// Whether x and what is like it begin at a boundary of `vec_width` elements, and y where as many
/// of its own are stored.
bool columns_start_at_vectors(const Problem& problem, const NormArgs& args, int vec_width) noexcept;

}  // namespace fastnorm::cuda
