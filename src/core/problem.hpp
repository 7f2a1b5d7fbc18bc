/// The validated, canonical form of a request: rows of contiguous elements and an affine map.
#pragma once

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
  std::int64_t inner = 1;  ///< Consecutive elements that share a channel.
};

/// The distances by which a tensor has its rows, in elements.
struct RowStrides {
  std::int64_t outer = 0;
  std::int64_t row = 0;
  std::int64_t run = 0;

  friend bool operator==(const RowStrides& a, const RowStrides& b) noexcept {
    return a.outer == b.outer && a.row == b.row && a.run == b.run;
  }
};

/// Where x and y have the elements of a row: element i of row r lies at
/// r / rows_per_outer * outer + r % rows_per_outer * row + i / run_len * run + i % run_len.
struct RowMemory {
  std::int64_t rows_per_outer = 1;
  std::int64_t run_len = 1;  ///< Divides the row's length.
  RowStrides x;
  RowStrides y;
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
  const RowMemory& memory() const noexcept { return memory_; }
  /// Whether x and y both are rows of consecutive elements, in the order of their channels, without
  /// a gap between one and the next.
  bool dense_rows() const noexcept;
  /// Whether a row's channels lie side by side again and again, or each in one piece.
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
  std::int64_t x_span() const noexcept { return span(memory_.x); }
  std::int64_t y_span() const noexcept { return span(memory_.y); }

  /// Whether two tensors with these strides, whose first elements lie so many elements apart, have
  /// a place in common.
  bool share_a_place(const RowStrides& strides, std::int64_t distance) const noexcept;

  /// Bytes of x's and of y's elements.
  std::int64_t x_bytes() const noexcept;
  std::int64_t y_bytes() const noexcept;
  /// Bytes that a call moves at least: x and y, and where there are any, the residual, scale and
  /// shift. (Gamma and beta are small beside them.)
  std::int64_t moved_bytes() const noexcept;

  /// "group_norm 112x64x512x512 groups=8 f32", for messages.
  std::string to_string() const;

 private:
  Problem() = default;
  std::int64_t span(const RowStrides& strides) const noexcept;

  NormDesc desc_;
  std::int64_t rows_ = 0;
  std::int64_t row_len_ = 0;
  std::int64_t rows_per_sample_ = 1;
  Statistics statistics_ = Statistics::mean_variance;
  AffineMap affine_;
  RowMemory memory_;
};

}  // namespace fastnorm
