/// The validated, canonical form of a request: rows of contiguous elements and an affine map.
#pragma once

#include <fastnorm/norm_desc.hpp>
#include <fastnorm/status.hpp>

#include <cstdint>
#include <string>

namespace fastnorm {

/// Which gamma and beta an element meets: element i of row r has channel
/// (r % row_period) * channels_per_row + i / inner.
struct AffineMap {
  std::int64_t row_period = 1;
  std::int64_t channels_per_row = 1;
  std::int64_t inner = 1;  ///< Consecutive elements that share a channel.
};

/// Immutable. `rows` independent statistics groups of `row_len` contiguous elements each: over
/// contiguous rows GroupNorm, InstanceNorm (and later LayerNorm) are this one problem.
class Problem {
 public:
  /// Errors: invalid_argument naming the field and its value, or unsupported.
  static Result<Problem> create(const NormDesc& desc);

  const NormDesc& desc() const noexcept { return desc_; }
  std::int64_t rows() const noexcept { return rows_; }
  std::int64_t row_len() const noexcept { return row_len_; }
  std::int64_t elements() const noexcept { return rows_ * row_len_; }
  bool empty() const noexcept { return rows_ == 0 || row_len_ == 0; }
  const AffineMap& affine() const noexcept { return affine_; }
  double eps() const noexcept { return desc_.eps; }

  /// The logical shape, as the tuning database keeps it.
  std::int64_t n() const noexcept { return desc_.extents[0]; }
  std::int64_t channels() const noexcept { return desc_.extents[1]; }
  std::int64_t groups() const noexcept { return affine_.row_period; }
  std::int64_t inner() const noexcept { return affine_.inner; }

  /// Bytes of x and of y.
  std::int64_t x_bytes() const noexcept;
  std::int64_t y_bytes() const noexcept;

  /// "group_norm 112x64x512x512 groups=8 f32", for messages.
  std::string to_string() const;

 private:
  Problem() = default;

  NormDesc desc_;
  std::int64_t rows_ = 0;
  std::int64_t row_len_ = 0;
  AffineMap affine_;
};

}  // namespace fastnorm
