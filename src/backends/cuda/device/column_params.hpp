// SPDX-License-Identifier: Apache-2.0
/// What the column kernels are told, by value.
#pragma once

#include "backends/cuda/device/fast_divide.hpp"
#include "backends/cuda/device/row_params.hpp"
#include "core/affine_axis.hpp"

#include <cstdint>

namespace fastnorm::cuda {

/// Columns of a thread at most: more would take too many registers, whose moments are one set each.
inline constexpr int most_column_vec = 4;

/// Of a thread's positions, about as many share a pivot, which comes from the first few of them.
inline constexpr int positions_of_pivot = 64;

/// `samples` matrices of `positions` by `width` elements, neighbouring columns beside each other in
/// memory. A row, that is a group of statistics, is `group_width` columns; row r is of sample
/// r / groups.
struct ColumnGeometry {
  std::int64_t samples = 1;
  std::int64_t positions = 1;
  std::int64_t width = 1;
  std::int64_t groups = 1;  ///< Of a sample.
  FastDivide group_width;
  std::int64_t x_sample = 0;  ///< From sample to sample, in elements,
  std::int64_t x_position = 0;
  std::int64_t y_sample = 0;
  std::int64_t y_position = 0;
  AffineAxis affine = AffineAxis::column;
};

struct ColumnParams : CallParams {
  ColumnGeometry geometry;
};

/// How the columns are cut. A group may meet several tiles; each has a piece of it.
struct ColumnTiles {
  int width = 1;  ///< Of every tile but the last, which may have fewer.
  int count = 1;

  /// Pieces of a sample's groups, numbered by group + tile. (Some numbers are nobody's.)
  constexpr std::int64_t pieces(std::int64_t groups) const { return groups + count; }
};

/// How a block's threads lie over a tile: neighbours have neighbouring vectors of a position, and
/// each has its columns for good.
struct ColumnThreads {
  int log2_lanes = 0;        ///< Lanes of a warp side by side; the others have further positions.
  int column_warps = 1;      ///< Side by side, and
  int position_warps = 1;    ///< so many with further positions.
  int log2_group_lanes = 0;  ///< That share the work where a tile's groups are merged.

  constexpr int warps() const { return column_warps * position_warps; }
};

}  // namespace fastnorm::cuda
