// SPDX-License-Identifier: Apache-2.0
/// Where the elements of rows are that lie in runs, pieces of consecutive elements that are all
/// equally long and equally far apart, and which channels they have.
#pragma once

#include "backends/cuda/device/fast_divide.hpp"
#include "backends/cuda/device/host_device.hpp"
#include "backends/cuda/device/row_params.hpp"

#include <cstdint>

namespace fastnorm::cuda {

/// Divides what lies within a page (PageQuotient), by 31 bits wherever they suffice.
struct PageDivisor {
  std::int64_t value = 1;
  FastDivide fast;  ///< Set where the value is below page_len.

  PageDivisor() = default;
  explicit PageDivisor(std::int64_t divisor) : value(divisor) {
    if (value < page_len) fast = FastDivide(static_cast<std::uint32_t>(value));
  }
};

/// Element i of a row lies in run i / run_len, and has the row's channel
/// i / inner % channels_per_row.
struct StridedGeometry {
  PageDivisor run_len;
  PageDivisor inner;
  PageDivisor channels_per_row;
  RowPlace run_step;  ///< From one run to the next.
  std::int64_t rows_per_outer = 1;
};

/// Of the row's first element, also where there are 2^31 rows and more.
FASTNORM_HOST_DEVICE inline RowPlace place_of(const RowGeometry& geometry,
                                              const StridedGeometry& strided, std::int64_t row) {
  const std::int64_t outer =
      geometry.row_quotient(row, geometry.by_rows_per_outer, strided.rows_per_outer);
  return {row * geometry.x.row + outer * geometry.x.outer,
          row * geometry.y.row + outer * geometry.y.outer};
}

/// (begin + i) / divisor for 0 <= i < page_len.
class PageQuotient {
 public:
  struct Answer {
    std::uint32_t quotient;  ///< Less that of `begin`.
    std::int64_t remainder;
  };

  FASTNORM_HOST_DEVICE PageQuotient(const PageDivisor& divisor, std::int64_t begin)
      : divisor_(divisor) {
    if (begin > 0) {
      of_begin_ = begin / divisor.value;
      into_ = begin - of_begin_ * divisor.value;
    }
  }

  FASTNORM_HOST_DEVICE std::int64_t of_begin() const { return of_begin_; }

  FASTNORM_HOST_DEVICE Answer operator()(std::uint32_t i) const {
    if (divisor_.value < page_len) {
      const std::uint32_t n = static_cast<std::uint32_t>(into_) + i;
      const std::uint32_t quotient = divisor_.fast.quotient(n);
      return {quotient, n - quotient * divisor_.fast.divisor()};
    }
    // A page meets two quotients at most.
    const std::int64_t n = into_ + i;
    if (n < divisor_.value) return {0, n};
    return {1, n - divisor_.value};
  }

 private:
  const PageDivisor& divisor_;
  std::int64_t of_begin_ = 0;
  std::int64_t into_ = 0;
};

/// Of the elements of a page of a row, which are numbered from `page_begin`.
class StridedPlaces {
 public:
  /// `row`: the place of the row's first element.
  FASTNORM_HOST_DEVICE StridedPlaces(const StridedGeometry& strided, const RowPlace& row,
                                     std::int64_t page_begin)
      : step_(strided.run_step),
        run_(strided.run_len, page_begin),
        x_(row.x + run_.of_begin() * step_.x),
        y_(row.y + run_.of_begin() * step_.y) {}

  /// Of element i, from which its run goes on.
  FASTNORM_HOST_DEVICE std::int64_t in_x(int i) const { return place(x_, step_.x, i); }
  FASTNORM_HOST_DEVICE std::int64_t in_y(int i) const { return place(y_, step_.y, i); }

 private:
  FASTNORM_HOST_DEVICE std::int64_t place(std::int64_t begin, std::int64_t step, int i) const {
    const PageQuotient::Answer at = run_(static_cast<std::uint32_t>(i));
    return begin + at.quotient * step + at.remainder;
  }

  const RowPlace& step_;
  const PageQuotient run_;
  const std::int64_t x_;
  const std::int64_t y_;
};

/// Of the same elements. Unlike a contiguous row's, their channels may come again and again.
class StridedChannels {
 public:
  FASTNORM_HOST_DEVICE StridedChannels(const StridedGeometry& strided, std::int64_t page_begin)
      : differ_(strided.inner.value == 1),
        by_inner_(strided.inner, page_begin),
        by_channels_(strided.channels_per_row, by_inner_.of_begin()) {}

  /// Whether neighbours have neighbouring channels, up to the row's last one; else they share one,
  /// up to its last element.
  FASTNORM_HOST_DEVICE bool differ() const { return differ_; }

  /// Of the row's: that of element i.
  FASTNORM_HOST_DEVICE std::int64_t operator()(int i) const {
    const auto element = static_cast<std::uint32_t>(i);
    return by_channels_(differ_ ? element : by_inner_(element).quotient).remainder;
  }

 private:
  const bool differ_;
  const PageQuotient by_inner_;
  const PageQuotient by_channels_;
};

}  // namespace fastnorm::cuda
