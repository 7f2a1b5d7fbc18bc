// SPDX-License-Identifier: Apache-2.0
/// What the cost models of the column strategies share: how well threads lie over a tile, and what
/// they merge.
#pragma once

#include "backends/cuda/device/column_params.hpp"

#include <algorithm>
#include <cmath>

namespace fastnorm::cuda {

/// Share of the threads that have columns.
inline double lanes_with_columns(const ColumnThreads& threads, int columns, int vec_width) {
  const double lanes = threads.column_warps * (1 << threads.log2_lanes);
  return std::min(1.0, columns / (vec_width * lanes));
}

/// How many of a tile's groups a warp merges one after another, or lanes of it beside each other.
inline double rounds_of_pieces(const ColumnThreads& threads, int pieces) {
  const double at_once = threads.warps() * (32 >> threads.log2_group_lanes);
  return std::ceil(pieces / at_once);
}

/// Moments that a lane merges one after another, where a tile's columns become groups.
inline double merges_of_columns(const ColumnThreads& threads, int pieces, int columns,
                                int group_width) {
  const double entries = static_cast<double>(std::min(group_width, columns)) *
                         static_cast<double>(threads.position_warps);
  return rounds_of_pieces(threads, pieces) * std::ceil(entries / (1 << threads.log2_group_lanes));
}

/// Shuffles, each of a column's moments, that bring a warp's positions together.
inline int levels_of_lanes(const ColumnThreads& threads) { return 5 - threads.log2_lanes; }

}  // namespace fastnorm::cuda
