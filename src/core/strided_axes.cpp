#include "core/strided_axes.hpp"

#include <algorithm>
#include <limits>

namespace fastnorm {
namespace {

Status invalid(const char* tensor, const Strides& strides, const std::string& why) {
  return Status(StatusCode::invalid_argument, shown_strides(tensor, strides) + ": " + why);
}

/// Whether a tensor with such strides has a place of its own for each element: each extent, from
/// the smallest stride up, begins beyond all that the smaller ones reach. (Sets of strides that
/// interlock in other ways may have as well; nobody makes such tensors on purpose.)
Status check_places(const char* tensor, const Extents& extents, const Strides& strides,
                    std::size_t element_bytes) {
  struct Step {
    std::int64_t stride;
    std::int64_t extent;
  };
  std::array<Step, Extents::max_rank> steps{};
  std::size_t count = 0;
  for (int axis = 0; axis < extents.rank(); ++axis) {
    if (extents[axis] < 2) continue;
    if (strides[axis] < 1) {
      return invalid(tensor, strides,
                     "the stride of extent " + std::to_string(axis) + " must be at least 1");
    }
    steps[count++] = {strides[axis], extents[axis]};
  }
  std::sort(steps.begin(), steps.begin() + count,
            [](const Step& a, const Step& b) { return a.stride < b.stride; });
  const std::int64_t most =
      std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(element_bytes);
  std::int64_t span = 1;  // Elements from the first one's place to behind the last one's.
  for (std::size_t i = 0; i < count; ++i) {
    if (steps[i].stride < span) {
      return invalid(tensor, strides,
                     "a stride of " + std::to_string(steps[i].stride) +
                         " has elements share a place; the smaller ones reach over " +
                         std::to_string(span));
    }
    if (steps[i].stride > (most - span) / (steps[i].extent - 1)) {
      return invalid(tensor, strides, "the tensor's span in bytes exceeds 2^63 - 1");
    }
    span += steps[i].stride * (steps[i].extent - 1);
  }
  return {};
}

Result<Strides> strides_of(const char* tensor, const NormDesc& desc, const Strides& given,
                           DType type) {
  if (given.rank() == 0) return dense_strides(desc.extents, desc.layout);
  if (given.rank() != desc.extents.rank()) {
    return invalid(tensor, given,
                   "there must be one for each of the " + std::to_string(desc.extents.rank()) +
                       " extents, or none");
  }
  if (Status status = check_places(tensor, desc.extents, given, size_of(type)); !status.ok()) {
    return status;
  }
  return given;
}

}  // namespace

StridedAxes StridedAxes::joined(int first, int last) const noexcept {
  StridedAxes result;
  for (int i = first; i < last; ++i) {
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

Strides dense_strides(const Extents& extents, Layout layout) {
  const int rank = extents.rank();
  std::array<std::int64_t, Extents::max_rank> values{};
  std::int64_t stride = 1;
  const auto place = [&](int axis) {
    values[static_cast<std::size_t>(axis)] = stride;
    stride *= std::max<std::int64_t>(1, extents[axis]);
  };
  if (layout == Layout::channels_last) {
    place(1);
    for (int axis = rank - 1; axis > 1; --axis) place(axis);
    place(0);
  } else {
    for (int axis = rank - 1; axis >= 0; --axis) place(axis);
  }
  Strides strides;
  for (int axis = 0; axis < rank; ++axis) strides.push_back(values[static_cast<std::size_t>(axis)]);
  return strides;
}

Result<StridedAxes> strided_axes(const NormDesc& desc) {
  const Result<Strides> x = strides_of("x_strides", desc, desc.x_strides, desc.x_type);
  if (!x.ok()) return x.status();
  const Result<Strides> y = strides_of("y_strides", desc, desc.y_strides, desc.y_type);
  if (!y.ok()) return y.status();
  StridedAxes axes;
  for (int axis = 0; axis < desc.extents.rank(); ++axis) {
    axes.push_back({desc.extents[axis], x.value()[axis], y.value()[axis]});
  }
  return axes;
}

std::string shown_strides(const char* tensor, const Strides& strides) {
  std::string text = std::string(tensor) + "=";
  if (strides.rank() == 0) return text + "(dense)";
  for (int axis = 0; axis < strides.rank() && axis < Strides::max_rank; ++axis) {
    text += (axis == 0 ? "" : "x") + std::to_string(strides[axis]);
  }
  return text;
}

}  // namespace fastnorm
