// SPDX-License-Identifier: Apache-2.0
/// What the row kernels are told, by value.
#pragma once

#include "backends/cuda/device/fast_divide.hpp"
#include "backends/cuda/row_config.hpp"
#include "core/problem.hpp"

#include <fastnorm/norm_desc.hpp>

#include <cstdint>

namespace fastnorm::cuda {

/// Rows are walked in pages of at most this many elements, so that indices within a page fit 32
/// bits whatever the row's length. Almost every row is one page. (A multiple of every vector width:
/// pages keep a row's alignment.)
inline constexpr std::int64_t page_len = std::int64_t{1} << 30;

/// An element's place: in x, with whatever is like it (the residual, the sum), and in y.
struct RowPlace {
  std::int64_t x = 0;
  std::int64_t y = 0;

  /// Of the row's i-th element from this one on.
  FASTNORM_HOST_DEVICE RowPlace operator+(std::int64_t i) const { return {x + i, y + i}; }
};

/// A tensor's rows: from one to the next, and what more there is whenever an outer level begins.
struct RowSteps {
  std::int64_t row = 0;
  std::int64_t outer = 0;
};

/// A row as its reads and the epilogue see it: consecutive elements, and channels of `inner` of
/// them each. First comes what the first load of x waits for: each further line of the constants
/// may be a miss in front of it.
struct RowGeometry {
  std::int64_t rows = 0;
  std::int64_t row_len = 0;
  RowSteps x;
  FastDivide by_rows_per_outer;  ///< Set where rows < 2^31.
  bool same_steps = false;       ///< y's are x's.
  RowSteps y;
  std::int64_t row_period = 1;
  std::int64_t channels_per_row = 1;
  std::int64_t inner = 1;
  std::int64_t rows_per_sample = 1;
  FastDivide by_inner;       ///< Set where `narrow_inner`.
  bool narrow_inner = true;  ///< inner < page_len.
  FastDivide by_row_period;  ///< Set where `narrow_rows`, as the next.
  FastDivide by_rows_per_sample;
  bool narrow_rows = true;  ///< rows < 2^31 and channels_per_row < 2^31.

  /// The row's first element in x.
  FASTNORM_HOST_DEVICE std::int64_t x_begin(std::int64_t row) const { return begin(x, row); }

  /// And in y, where the former is known. Almost always they are one, which a kernel that asks when
  /// it comes to write need not compute while everything waits for the output.
  FASTNORM_HOST_DEVICE std::int64_t y_begin(std::int64_t row, std::int64_t x_begin) const {
    return same_steps ? x_begin : begin(y, row);
  }

  /// Both at once, without a decision: for rows that are read again, whose kernels have fewer
  /// registers to spare than time.
  FASTNORM_HOST_DEVICE RowPlace place(std::int64_t row) const {
    const std::int64_t outer = by_rows_per_outer.quotient(static_cast<std::uint32_t>(row));
    return {row * x.row + outer * x.outer, row * y.row + outer * y.outer};
  }

  /// A division of 64 bits takes longer than a short row.
  FASTNORM_HOST_DEVICE std::int64_t row_quotient(std::int64_t row, const FastDivide& fast,
                                                 std::int64_t divisor) const {
    return narrow_rows ? std::int64_t{fast.quotient(static_cast<std::uint32_t>(row))}
                       : row / divisor;
  }

 private:
  /// Of one level, `outer` is 0: nothing is divided in front of the first load then.
  FASTNORM_HOST_DEVICE std::int64_t begin(const RowSteps& steps, std::int64_t row) const {
    std::int64_t at = row * steps.row;
    if (steps.outer != 0) {
      at += by_rows_per_outer.quotient(static_cast<std::uint32_t>(row)) * steps.outer;
    }
    return at;
  }
};

/// What a kernel is compiled for. Few calls ask for more than the plain form, and each decision
/// that need not be taken is worth its while in the loops that stream a row.
enum class RowForm {
  plain,  ///< No residual, no modulation, gamma itself the factor, nothing rounded on the way, y of
          ///< x's type, and so gamma and beta where each element has its own. An activation there
          ///< may be.
  fused,  ///< Whatever a descriptor may ask for.
};

/// A call, but for where its elements lie.
struct CallParams {
  NormArgs tensors;  ///< As the caller gave them; x and what is like it has the kernel's type.
  Statistics statistics = Statistics::mean_variance;
  double eps = 0;
  Residual residual = Residual::none;
  DType y_type = DType::f32;
  DType affine_type = DType::f32;
  Epilogue epilogue;
  CacheUse cache;
};

struct RowParams : CallParams {
  RowGeometry geometry;
};

/// How a row is cut between blocks.
struct RowSplit {
  std::int64_t part_len = 0;  ///< Elements of every part but the last.
  std::int64_t parts = 1;     ///< Parts a row; none is empty.
};

}  // namespace fastnorm::cuda
