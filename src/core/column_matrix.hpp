// SPDX-License-Identifier: Apache-2.0
/// Problems whose rows lie side by side: a matrix of positions by columns, in which groups of
/// neighbouring columns have their statistics over all positions.
#pragma once

#include "core/affine_axis.hpp"
#include "core/backend.hpp"
#include "core/problem.hpp"

#include <cstdint>
#include <optional>

namespace fastnorm {

/// One matrix a sample. Element (position, column) of a sample lies at
/// sample * x_sample + position * x_position + column of x, and likewise of y.
struct ColumnMatrix {
  std::int64_t samples = 1;
  std::int64_t positions = 1;
  std::int64_t groups = 1;  ///< Of a sample, and rows of the problem: the first is group 0's.
  std::int64_t group_width = 1;
  std::int64_t x_sample = 0;  ///< From sample to sample, in elements,
  std::int64_t x_position = 0;
  std::int64_t y_sample = 0;
  std::int64_t y_position = 0;
  AffineAxis affine = AffineAxis::column;

  constexpr std::int64_t width() const { return groups * group_width; }
};

/// None if the problem is not such.
std::optional<ColumnMatrix> column_matrix(const Problem& problem);

/// Why it is not, where it is not.
Support no_column_matrix(const Problem& problem);

}  // namespace fastnorm
