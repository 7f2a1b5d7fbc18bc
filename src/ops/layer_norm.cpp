#include "ops/canonical_form.hpp"

#include <algorithm>
#include <string>

namespace fastnorm {

Result<CanonicalForm> layer_norm_form(const NormDesc& desc, const StridedAxes& axes) {
  if (desc.groups != 0 && desc.groups != 1) {
    return Status(StatusCode::invalid_argument, "groups=" + std::to_string(desc.groups) + " for " +
                                                    to_string(desc.op) + " must be 0 or 1");
  }
  if (desc.layout != Layout::channels_first) {
    return Status(StatusCode::unsupported,
                  std::string("layout=") + to_string(desc.layout) + " is not offered for " +
                      to_string(desc.op) + ", whose extents have no C; x_strides and y_strides " +
                      "say the same");
  }
  const int leading = axes.size() - desc.normalized_rank;
  const StridedAxes outer = axes.joined(0, leading);
  const StridedAxes normalised = axes.joined(leading, axes.size());
  if (normalised.size() > 1) {
    return strides_unsupported(desc, "the normalised extents do not join to one in both tensors");
  }
  if (outer.size() > 2) {
    return strides_unsupported(
        desc, "the extents that are not normalised do not join to two in both tensors");
  }
  const StridedAxis elements = normalised.size() == 1 ? normalised[0] : StridedAxis{1, 1, 1};
  const StridedAxis rows = outer.size() > 0 ? outer[outer.size() - 1] : StridedAxis{};

  CanonicalForm form;
  form.rows = 1;
  for (int axis = 0; axis < leading; ++axis) {
    form.rows *= axes[axis].extent;
    // The first extent counts samples, the others the rows of each.
    if (axis > 0) form.rows_per_sample *= axes[axis].extent;
  }
  form.rows_per_sample = std::max(form.rows_per_sample, std::int64_t{1});
  form.row_len = elements.extent;
  constexpr std::int64_t each_row_alike = 1;
  constexpr std::int64_t element_a_channel = 1;
  form.affine = {each_row_alike, form.row_len, element_a_channel};

  const bool side_by_side = elements.x_stride == 1 && elements.y_stride == 1;
  form.memory.run_len = side_by_side ? elements.extent : 1;
  form.memory.rows_per_outer = std::max(rows.extent, std::int64_t{1});
  form.memory.x = {0, rows.x_stride, elements.x_stride};
  form.memory.y = {0, rows.y_stride, elements.y_stride};
  if (outer.size() == 2) {
    form.memory.x.outer = outer[0].x_stride;
    form.memory.y.outer = outer[0].y_stride;
  }
  return form;
}

}  // namespace fastnorm
