#include "backends/cuda/column_matrix.hpp"

#include "backends/cuda/row_space.hpp"
#include "core/integer.hpp"
#include "core/strided_axes.hpp"

#include <limits>

namespace fastnorm::cuda {
namespace {

/// Positions that 32 bits can number, and columns that FastDivide can divide.
constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max() / 2;
/// Columns that every strategy's tiles may have, so that no grid has more tiles than blocks.
constexpr std::int64_t narrow_tile = 256;

/// A dense tensor of one group: its rows are contiguous, and have their channels again and again.
bool is_one_group(const Problem& problem) {
  const AffineMap& affine = problem.affine();
  return problem.memory().runs == 1 && affine.inner == 1 && affine.row_period == 1 &&
         affine.channels_per_row < problem.row_len();
}

}  // namespace

std::optional<ColumnGeometry> column_geometry(const Problem& problem) {
  if (problem.empty()) return std::nullopt;
  const RowMemory& memory = problem.memory();
  const AffineMap& affine = problem.affine();
  ColumnGeometry geometry;
  std::int64_t group_width = memory.run_len;
  if (is_one_group(problem)) {
    group_width = affine.channels_per_row;
    geometry.positions = problem.row_len() / group_width;
    geometry.x_position = group_width;
    geometry.y_position = group_width;
  } else if (memory.runs > 1) {
    geometry.positions = memory.runs;
    geometry.x_position = memory.x.run;
    geometry.y_position = memory.y.run;
  } else {
    return std::nullopt;
  }
  const bool side_by_side =
      memory.rows_per_outer > 1 && memory.x.row == group_width && memory.y.row == group_width;
  if (side_by_side) {
    geometry.groups = memory.rows_per_outer;
    geometry.samples = memory.outers;
    geometry.x_sample = memory.x.outer;
    geometry.y_sample = memory.y.outer;
  } else {
    if (memory.outers > 1) return std::nullopt;
    geometry.samples = memory.rows_per_outer;
    geometry.x_sample = memory.x.row;
    geometry.y_sample = memory.y.row;
  }
  geometry.width = geometry.groups * group_width;
  if (geometry.positions > most || geometry.width > most) return std::nullopt;
  const std::int64_t tiles = ceil_divide(geometry.width, narrow_tile);
  if (geometry.samples > most / tiles) return std::nullopt;
  geometry.group_width = FastDivide(static_cast<std::uint32_t>(group_width));

  const bool by_column = affine.row_period == geometry.groups &&
                         affine.channels_per_row == group_width &&
                         (affine.inner == 1 || group_width == 1);
  const bool by_position = affine.row_period == 1 &&
                           affine.channels_per_row == geometry.positions &&
                           affine.inner == group_width &&
                           (problem.desc().epilogue.modulation == Modulation::none ||
                            problem.rows_per_sample() == geometry.groups);
  if (by_column) {
    geometry.affine = AffineAxis::column;
  } else if (by_position) {
    geometry.affine = AffineAxis::position;
  } else {
    return std::nullopt;
  }
  return geometry;
}

Support supports_columns(const Problem& problem) {
  if (column_geometry(problem)) return Support::yes();
  return Support::no(
      "rows must lie side by side, fewer than 2^30 positions and columns, each a run of equal "
      "length at every position; here " +
      shown_x_strides(problem.desc()) + ", " + shown_y_strides(problem.desc()));
}

ColumnParams column_params(const Problem& problem, const CacheUse& cache) {
  ColumnParams params;
  static_cast<CallParams&>(params) = call_params(problem, cache);
  params.geometry = *column_geometry(problem);
  return params;
}

bool columns_at_vectors(const ColumnGeometry& geometry, std::int64_t columns) noexcept {
  for (const std::int64_t distance : {geometry.width, geometry.x_position, geometry.y_position,
                                      geometry.samples > 1 ? geometry.x_sample : 0,
                                      geometry.samples > 1 ? geometry.y_sample : 0}) {
    if (distance % columns != 0) return false;
  }
  return true;
}

}  // namespace fastnorm::cuda
