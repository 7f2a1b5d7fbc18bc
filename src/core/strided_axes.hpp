// SPDX-License-Identifier: Apache-2.0
/// A call's extents with the distances at which x and y have their neighbours.
#pragma once

#include <fastnorm/norm_desc.hpp>
#include <fastnorm/status.hpp>

#include <array>
#include <cstdint>
#include <string>

namespace fastnorm {

/// Of one extent, in elements.
struct StridedAxis {
  std::int64_t extent = 1;
  std::int64_t x_stride = 0;
  std::int64_t y_stride = 0;
};

/// Some of the extents, the outermost first.
class StridedAxes {
 public:
  int size() const noexcept { return size_; }
  const StridedAxis& operator[](int i) const noexcept { return axes_[static_cast<std::size_t>(i)]; }
  void push_back(const StridedAxis& axis) noexcept {
    axes_[static_cast<std::size_t>(size_++)] = axis;
  }

  /// The same elements in the same order by the fewest extents: those of 1 vanish, and neighbours
  /// become one where both tensors have them one after the other.
  StridedAxes joined() const noexcept;

 private:
  std::array<StridedAxis, Extents::max_rank> axes_{};
  int size_ = 0;
};

/// Each extent's; those that the descriptor does not give, by its layout. Extents and layout are
/// validated by then. Without elements, the strides are those of dense tensors.
/// Errors: invalid_argument naming the tensor and its strides (another rank, none or below 1 where
/// it matters, elements that share a place, a span of 2^63 bytes or more).
Result<StridedAxes> strided_axes(const NormDesc& desc);

/// "x_strides=4096x1", or "x_strides=(dense channels_last)".
std::string shown_x_strides(const NormDesc& desc);
std::string shown_y_strides(const NormDesc& desc);

/// "2x8x5"; of those beyond the highest rank, which have no values, how many there are.
std::string shown(const Extents& extents);

}  // namespace fastnorm
