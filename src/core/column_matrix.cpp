// SPDX-License-Identifier: Apache-2.0
#include "core/column_matrix.hpp"

#include "core/strided_axes.hpp"

namespace fastnorm {
namespace {

/// A dense tensor of one group: its rows are contiguous, and have their channels again and again.
bool is_one_group(const Problem& problem) {
  const AffineMap& affine = problem.affine();
  return problem.memory().runs == 1 && affine.inner == 1 && affine.row_period == 1 &&
         affine.channels_per_row < problem.row_len();
}

}  // namespace

std::optional<ColumnMatrix> column_matrix(const Problem& problem) {
  if (problem.empty()) return std::nullopt;
  const RowMemory& memory = problem.memory();
  const AffineMap& affine = problem.affine();
  ColumnMatrix matrix;
  matrix.group_width = memory.run_len;
  if (is_one_group(problem)) {
    matrix.group_width = affine.channels_per_row;
    matrix.positions = problem.row_len() / matrix.group_width;
    matrix.x_position = matrix.group_width;
    matrix.y_position = matrix.group_width;
  } else if (memory.runs > 1) {
    matrix.positions = memory.runs;
    matrix.x_position = memory.x.run;
    matrix.y_position = memory.y.run;
  } else {
    return std::nullopt;
  }
  const bool side_by_side = memory.rows_per_outer > 1 && memory.x.row == matrix.group_width &&
                            memory.y.row == matrix.group_width;
  if (side_by_side) {
    matrix.groups = memory.rows_per_outer;
    matrix.samples = memory.outers;
    matrix.x_sample = memory.x.outer;
    matrix.y_sample = memory.y.outer;
  } else {
    if (memory.outers > 1) return std::nullopt;
    matrix.samples = memory.rows_per_outer;
    matrix.x_sample = memory.x.row;
    matrix.y_sample = memory.y.row;
  }

  const bool by_column = affine.row_period == matrix.groups &&
                         affine.channels_per_row == matrix.group_width &&
                         (affine.inner == 1 || matrix.group_width == 1);
  const bool by_position = affine.row_period == 1 && affine.channels_per_row == matrix.positions &&
                           affine.inner == matrix.group_width &&
                           (problem.desc().epilogue.modulation == Modulation::none ||
                            problem.rows_per_sample() == matrix.groups);
  if (!by_column && !by_position) return std::nullopt;
  matrix.affine = by_column ? AffineAxis::column : AffineAxis::position;
  return matrix;
}

Support no_column_matrix(const Problem& problem) {
  return Support::no(
      "rows must lie side by side, each a run of equal length at every position; here " +
      shown_x_strides(problem.desc()) + ", " + shown_y_strides(problem.desc()));
}

}  // namespace fastnorm
