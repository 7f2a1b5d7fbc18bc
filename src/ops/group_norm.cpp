#include "ops/canonical_form.hpp"

#include <string>

namespace fastnorm {

Result<CanonicalForm> group_norm_form(const NormDesc& desc, const StridedAxes& axes) {
  const StridedAxis& channels = axes[1];
  if (desc.groups < 1 || channels.extent % desc.groups != 0) {
    return Status(StatusCode::invalid_argument,
                  "groups=" + std::to_string(desc.groups) +
                      " must be at least 1 and divide C=" + std::to_string(channels.extent));
  }
  const StridedAxes spatial = axes.joined(2, axes.size());
  if (spatial.size() > 1) {
    return strides_unsupported(desc, "the spatial extents do not join to one in both tensors");
  }
  const StridedAxis positions = spatial.size() == 1 ? spatial[0] : StridedAxis{1, 1, 1};
  const std::int64_t channels_per_group = channels.extent / desc.groups;

  CanonicalForm form;
  form.rows = axes[0].extent * desc.groups;
  form.row_len = channels_per_group * positions.extent;
  form.rows_per_sample = desc.groups;
  form.memory.rows_per_outer = desc.groups;
  form.memory.x = {axes[0].x_stride, channels_per_group * channels.x_stride, 0};
  form.memory.y = {axes[0].y_stride, channels_per_group * channels.y_stride, 0};
  if (positions.extent < 2 || (positions.x_stride == 1 && positions.y_stride == 1)) {
    form.affine = {desc.groups, channels_per_group, positions.extent};
    form.memory.run_len = positions.extent;
    form.memory.x.run = channels.x_stride;
    form.memory.y.run = channels.y_stride;
  } else if (channels.extent < 2 || (channels.x_stride == 1 && channels.y_stride == 1)) {
    form.affine = {desc.groups, channels_per_group, 1};
    form.memory.run_len = channels_per_group;
    form.memory.x.run = positions.x_stride;
    form.memory.y.run = positions.y_stride;
  } else {
    return strides_unsupported(
        desc, "neither C nor the spatial extents have a stride of 1 in both tensors");
  }
  return form;
}

}  // namespace fastnorm
