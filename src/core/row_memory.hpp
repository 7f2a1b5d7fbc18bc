// SPDX-License-Identifier: Apache-2.0
/// Where tensors have the elements of a row.
#pragma once

#include "core/strided_axes.hpp"

#include <fastnorm/status.hpp>

#include <cstdint>

namespace fastnorm {

/// The distances between a tensor's rows and runs, in elements; 0 where there is only one.
struct RowStrides {
  std::int64_t outer = 0;
  std::int64_t row = 0;
  std::int64_t run = 0;

  friend bool operator==(const RowStrides& a, const RowStrides& b) noexcept {
    return a.outer == b.outer && a.row == b.row && a.run == b.run;
  }
};

/// Where x and y have the elements of `outers` * `rows_per_outer` rows, each of `runs` * `run_len`
/// elements: element i of row r lies at
/// r / rows_per_outer * outer + r % rows_per_outer * row + i / run_len * run + i % run_len.
/// In the fewest pieces: outers is 1 where one distance does for all rows, and runs where a row is
/// contiguous in both tensors.
struct RowMemory {
  std::int64_t outers = 1;
  std::int64_t rows_per_outer = 1;
  std::int64_t runs = 1;
  std::int64_t run_len = 1;
  RowStrides x;
  RowStrides y;

  /// Elements from the first one's place to behind the last one's.
  std::int64_t span(const RowStrides& strides) const noexcept;

  /// Whether two tensors with these strides, whose first elements lie so many elements apart, have
  /// a place in common.
  bool share_a_place(const RowStrides& strides, std::int64_t distance) const noexcept;
};

/// That of the rows that `rows` counts and whose elements `elements` count; each may have as many
/// extents as it likes.
/// Errors: unsupported where this takes more than two levels of rows, or more than runs that lie
/// equally far apart.
Result<RowMemory> row_memory(const StridedAxes& rows, const StridedAxes& elements);

}  // namespace fastnorm
