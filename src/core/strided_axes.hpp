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

  /// Those from `first` on up to `last`, neighbours joined where both tensors have them one after
  /// the other; extents of 1 vanish.
  StridedAxes joined(int first, int last) const noexcept;

 private:
  std::array<StridedAxis, Extents::max_rank> axes_{};
  int size_ = 0;
};

/// What `layout` means for tensors that the descriptor gives no strides.
Strides dense_strides(const Extents& extents, Layout layout);

/// Each extent's. Its rank and signs are validated by then.
/// Errors: invalid_argument naming the tensor's strides (another rank, none or below 1 where it
/// matters, elements that share a place, a span beyond 2^63 bytes).
Result<StridedAxes> strided_axes(const NormDesc& desc);

/// "x_strides=4096x1", or "x_strides=(dense)".
std::string shown_strides(const char* tensor, const Strides& strides);

}  // namespace fastnorm
