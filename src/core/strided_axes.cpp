// SPDX-License-Identifier: Apache-2.0
#include "core/strided_axes.hpp"

#include <algorithm>
#include <limits>

namespace fastnorm {
namespace {

/// The strides that a descriptor gives for a tensor, if any.
struct Given {
  const char* name;
  const Strides& strides;
  DType type;
};

std::string shown(const Given& given, Layout layout) {
  return std::string(given.name) + "=" +
         (given.strides.rank() > 0 ? shown(given.strides)
                                   : std::string("(dense ") + to_string(layout) + ")");
}

Given of_x(const NormDesc& desc) { return {"x_strides", desc.x_strides, desc.x_type}; }
Given of_y(const NormDesc& desc) { return {"y_strides", desc.y_strides, desc.y_type}; }

/// Whether each element has a place of its own: each extent, from the smallest stride up, begins
/// beyond all that the smaller ones reach. (Strides that interlock in other ways may do as well;
/// nobody makes such tensors on purpose.)
Status check(const Given& given, const NormDesc& desc) {
  const Extents& extents = desc.extents;
  const Strides& strides = given.strides;
  const auto invalid = [&](const std::string& why) {
    return Status(StatusCode::invalid_argument,
                  shown(given, desc.layout) + " for extents=" + shown(extents) + ": " + why);
  };
  if (strides.rank() == 0) return {};
  if (strides.rank() != extents.rank()) {
    return invalid("there must be one for each of the " + std::to_string(extents.rank()) +
                   " extents, or none");
  }
  std::array<int, Extents::max_rank> axes{};  // The first `count`: those with a step to take.
  std::size_t count = 0;
  for (int axis = 0; axis < extents.rank(); ++axis) {
    if (extents[axis] < 2) continue;
    if (strides[axis] < 1) {
      return invalid("the stride of extent " + std::to_string(axis) + " is " +
                     std::to_string(strides[axis]) + ", must be at least 1");
    }
    axes[count++] = axis;
  }
  std::sort(axes.begin(), axes.begin() + count,
            [&](int a, int b) { return strides[a] < strides[b]; });
  const std::int64_t most =
      std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(size_of(given.type));
  std::int64_t span = 1;  // Elements from the first one's place to behind the last one's.
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t stride = strides[axes[i]];
    const std::int64_t steps = extents[axes[i]] - 1;
    if (stride < span) {
      return invalid("elements share a place: the stride of extent " + std::to_string(axes[i]) +
                     " is " + std::to_string(stride) + ", but the smaller ones reach over " +
                     std::to_string(span));
    }
    if (stride > (most - span) / steps) return invalid("the span in bytes exceeds 2^63 - 1");
    span += stride * steps;
  }
  return {};
}

Strides dense_strides(const Extents& extents, Layout layout) {
  std::array<std::int64_t, Extents::max_rank> values{};
  std::int64_t stride = 1;
  const auto place = [&](int axis) {
    values[static_cast<std::size_t>(axis)] = stride;
    stride *= extents[axis];
  };
  const bool channels_last = layout == Layout::channels_last;
  if (channels_last) place(1);
  for (int axis = extents.rank() - 1; axis >= 0; --axis) {
    if (!channels_last || axis != 1) place(axis);
  }
  Strides strides;
  for (int axis = 0; axis < extents.rank(); ++axis) {
    strides.push_back(values[static_cast<std::size_t>(axis)]);
  }
  return strides;
}

bool has_elements(const Extents& extents) {
  for (int axis = 0; axis < extents.rank(); ++axis) {
    if (extents[axis] == 0) return false;
  }
  return true;
}

}  // namespace

StridedAxes StridedAxes::joined() const noexcept {
  StridedAxes result;
  for (int i = 0; i < size_; ++i) {
    const StridedAxis& inner = (*this)[i];
    if (inner.extent == 1) continue;
    if (result.size_ > 0) {
      StridedAxis& outer = result.axes_[static_cast<std::size_t>(result.size_ - 1)];
      if (outer.x_stride == inner.extent * inner.x_stride &&
          outer.y_stride == inner.extent * inner.y_stride) {
        outer = {outer.extent * inner.extent, inner.x_stride, inner.y_stride};
        continue;
      }
    }
    result.push_back(inner);
  }
  return result;
}

Result<StridedAxes> strided_axes(const NormDesc& desc) {
  for (const Given& given : {of_x(desc), of_y(desc)}) {
    if (Status status = check(given, desc); !status.ok()) return status;
  }
  const auto strides_of = [&](const Given& given) {
    if (!has_elements(desc.extents)) return dense_strides(desc.extents, Layout::channels_first);
    return given.strides.rank() > 0 ? given.strides : dense_strides(desc.extents, desc.layout);
  };
  const Strides x = strides_of(of_x(desc));
  const Strides y = strides_of(of_y(desc));
  StridedAxes axes;
  for (int axis = 0; axis < desc.extents.rank(); ++axis) {
    axes.push_back({desc.extents[axis], x[axis], y[axis]});
  }
  return axes;
}

std::string shown_x_strides(const NormDesc& desc) { return shown(of_x(desc), desc.layout); }
std::string shown_y_strides(const NormDesc& desc) { return shown(of_y(desc), desc.layout); }

std::string shown(const Extents& extents) {
  std::string text;
  for (int axis = 0; axis < extents.rank() && axis < Extents::max_rank; ++axis) {
    text += (axis == 0 ? "" : "x") + std::to_string(extents[axis]);
  }
  const int more = extents.rank() - Extents::max_rank;
  if (more > 0) text += " and " + std::to_string(more) + " more";
  return text;
}

}  // namespace fastnorm
