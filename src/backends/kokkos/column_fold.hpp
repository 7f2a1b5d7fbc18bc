// SPDX-License-Identifier: Apache-2.0
/// How many positions of a matrix of columns the host's loops handle as one.
///
/// A few columns fill no vector, and what a position costs beside its elements is then most of it.
/// Where positions lie one after the other without a gap, several of them are as good as one with
/// as many times the columns.
#pragma once

#include "core/column_matrix.hpp"

#include <cstdint>

namespace fastnorm::kokkos {

/// Of `positions` that a thread goes over: a power of two, so that vectors have no rest where there
/// are enough columns; 1 where there are columns enough, gaps between positions, or few of these.
inline std::int64_t positions_at_once(const ColumnMatrix& matrix, std::int64_t positions) {
  constexpr std::int64_t enough_lanes = 256;
  // Each lane has sums to merge at the end. That takes about a quarter of what a position takes
  // beside its elements, and the whole least time where both cost alike.
  constexpr std::int64_t lanes_of_a_position = 4;
  const std::int64_t width = matrix.width();
  if (matrix.x_position != width || matrix.y_position != width) return 1;
  std::int64_t at_once = 1;
  const auto pays = [&](std::int64_t count) {
    return count * width <= enough_lanes &&
           count * width * count <= lanes_of_a_position * positions;
  };
  while (pays(2 * at_once)) at_once *= 2;
  return at_once;
}

}  // namespace fastnorm::kokkos
