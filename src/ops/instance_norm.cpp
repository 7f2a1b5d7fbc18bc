// SPDX-License-Identifier: Apache-2.0
#include "ops/canonical_form.hpp"

#include <string>

namespace fastnorm {

Result<CanonicalForm> instance_norm_form(const NormDesc& desc, const StridedAxes& axes) {
  const std::int64_t channels = desc.extents[1];
  if (desc.groups != 0 && desc.groups != channels) {
    return Status(StatusCode::invalid_argument,
                  "groups=" + std::to_string(desc.groups) +
                      " for instance_norm must be 0 or C=" + std::to_string(channels));
  }
  // A channel is a group of its own.
  NormDesc desc_of_groups = desc;
  desc_of_groups.groups = channels;
  return group_norm_form(desc_of_groups, axes);
}

}  // namespace fastnorm
