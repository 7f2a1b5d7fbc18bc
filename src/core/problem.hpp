// SPDX-License-Identifier: Apache-2.0
/// The validated, canonical form of a request: rows, where they lie, and an affine map.
#pragma once

#include "core/row_memory.hpp"

#include <fastnorm/norm_desc.hpp>
#include <fastnorm/status.hpp>

#include <cstdint>
#include <string>

namespace fastnorm {

/// Which gamma and beta an element meets: element i of row r has channel
/// (r % row_period) * channels_per_row + i / inner % channels_per_row.
struct AffineMap {
  std::int64_t row_period = 1;
  std::int64_t channels_per_row = 1;
  std::int64_t inner = 1;  ///< Elements of a row, one after the other, that share a channel.
};

/// Which statistics a row has.
enum class Statistics {
  mean_variance,
  mean_square,  ///< The mean is taken as 0.
};

/// Immutable. `rows` independent statistics groups of `row_len` elements each: every operation is
/// this one problem.
class Problem {
 public:
  /// Errors: invalid_argument naming the field and its value, or unsupported.
  static Result<Problem> create(const NormDesc& desc);

  const NormDesc& desc() const noexcept { return desc_; }
  std::int64_t rows() const noexcept { return rows_; }
  std::int64_t row_len() const noexcept { return row_len_; }
  std::int64_t elements() const noexcept { return rows_ * row_len_; }
  bool empty() const noexcept { return rows_ == 0 || row_len_ == 0; }
  Statistics statistics() const noexcept { return statistics_; }
  /// f64 for f64 tensors, else f32: what is summed, and the type of mean and rstd.
  DType accumulation_type() const noexcept;
  const AffineMap& affine() const noexcept { return affine_; }
  /// Without elements, that of one element.
  const RowMemory& memory() const noexcept { return memory_; }
  /// Whether x and y both are rows of consecutive elements, and each channel's elements of a row
  /// follow each other.
  bool contiguous_rows() const noexcept;
  /// And without a gap between one row and the next.
  bool dense_rows() const noexcept;
  /// What the tuning database tells apart, whatever the descriptor calls it: channels_last where a
  /// row meets its channels again and again, or x has elements of other rows between a row's own
  /// (as also where layer_norm's rows are the columns of a matrix); else channels_first.
  Layout layout() const noexcept;
  /// Row r is of sample r / rows_per_sample; there are `samples` of them.
  std::int64_t rows_per_sample() const noexcept { return rows_per_sample_; }
  std::int64_t samples() const noexcept;
  double eps() const noexcept { return desc_.eps; }

  /// The shape as the tuning database keeps it: n * groups rows of channels / groups * inner
  /// elements. A layer_norm has as many samples as rows, and as many channels as a row elements.
  std::int64_t n() const noexcept { return rows_ / affine_.row_period; }
  std::int64_t channels() const noexcept { return affine_.row_period * affine_.channels_per_row; }
  std::int64_t groups() const noexcept { return affine_.row_period; }
  std::int64_t inner() const noexcept { return row_len_ / affine_.channels_per_row; }

  /// Elements from the first one's place in the tensor to behind the last one's.
  std::int64_t x_span() const noexcept { return empty() ? 0 : memory_.span(memory_.x); }
  std::int64_t y_span() const noexcept { return empty() ? 0 : memory_.span(memory_.y); }

  /// Bytes of x's and of y's elements.
  std::int64_t x_bytes() const noexcept;
  std::int64_t y_bytes() const noexcept;
  /// Bytes that a call moves at least: x and y, and where there are any, the residual, scale and
  /// shift. (Gamma and beta are small beside them.)
  std::int64_t moved_bytes() const noexcept;

  /// "group_norm 112x64x512x512 groups=8 f32", for messages. What is left at its default is left
  /// out.
  std::string to_string() const;

 private:
  Problem() = default;
  /// Whether a row has its channels one by one, and then again.
  bool repeats_channels() const noexcept;

  NormDesc desc_;
  std::int64_t rows_ = 0;
  std::int64_t row_len_ = 0;
  std::int64_t rows_per_sample_ = 1;
  Statistics statistics_ = Statistics::mean_variance;
  AffineMap affine_;
  RowMemory memory_;
};

}  // namespace fastnorm
