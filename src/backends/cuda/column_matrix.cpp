// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/column_matrix.hpp"

#include "backends/cuda/row_space.hpp"
#include "core/integer.hpp"

#include <limits>

namespace fastnorm::cuda {
namespace {

/// Positions that 32 bits can number, and columns that FastDivide can divide.
constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max() / 2;
/// Columns that every strategy's tiles may have, so that no grid has more tiles than blocks.
constexpr std::int64_t narrow_tile = 256;

}  // namespace

std::optional<ColumnGeometry> column_geometry(const Problem& problem) {
  const std::optional<ColumnMatrix> matrix = column_matrix(problem);
  if (!matrix || matrix->positions > most || matrix->width() > most) return std::nullopt;
  const std::int64_t tiles = ceil_divide(matrix->width(), narrow_tile);
  if (matrix->samples > most / tiles) return std::nullopt;
  ColumnGeometry geometry;
  geometry.samples = matrix->samples;
  geometry.positions = matrix->positions;
  geometry.width = matrix->width();
  geometry.groups = matrix->groups;
  geometry.group_width = FastDivide(static_cast<std::uint32_t>(matrix->group_width));
  geometry.x_sample = matrix->x_sample;
  geometry.x_position = matrix->x_position;
  geometry.y_sample = matrix->y_sample;
  geometry.y_position = matrix->y_position;
  geometry.affine = matrix->affine;
  return geometry;
}

Support supports_columns(const Problem& problem) {
  if (column_geometry(problem)) return Support::yes();
  if (!column_matrix(problem)) return no_column_matrix(problem);
  return Support::no("positions, columns and tiles must be fewer than 2^30");
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
