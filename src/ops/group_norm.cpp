// SPDX-License-Identifier: Apache-2.0
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
  const std::int64_t per_group = channels.extent / desc.groups;
  StridedAxes groups;
  groups.push_back(axes[0]);
  groups.push_back({desc.groups, per_group * channels.x_stride, per_group * channels.y_stride});
  const StridedAxis of_group{per_group, channels.x_stride, channels.y_stride};
  StridedAxes channel_by_channel;
  StridedAxes position_by_position;
  channel_by_channel.push_back(of_group);
  CanonicalForm form;
  form.row_len = per_group;
  for (int axis = 2; axis < axes.size(); ++axis) {
    channel_by_channel.push_back(axes[axis]);
    position_by_position.push_back(axes[axis]);
    form.row_len *= axes[axis].extent;
  }
  position_by_position.push_back(of_group);
  form.rows = axes[0].extent * desc.groups;
  form.rows_per_sample = desc.groups;

  // The statistics do not mind in which order a row has its elements.
  if (Result<RowMemory> memory = row_memory(groups, channel_by_channel); memory.ok()) {
    form.affine = {desc.groups, per_group, form.row_len / per_group};
    form.memory = memory.value();
    return form;
  }
  if (Result<RowMemory> memory = row_memory(groups, position_by_position); memory.ok()) {
    form.affine = {desc.groups, per_group, 1};
    form.memory = memory.value();
    return form;
  }
  return Status(StatusCode::unsupported,
                "the elements of a group must be runs of stride 1 that lie equally far apart, "
                "whether in the order C, spatial or spatial, C");
}

}  // namespace fastnorm
