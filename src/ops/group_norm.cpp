#include "ops/canonical_form.hpp"

#include <string>

namespace fastnorm {

Result<CanonicalForm> group_norm_form(const NormDesc& desc) {
  const std::int64_t n = desc.extents[0];
  const std::int64_t channels = desc.extents[1];
  if (desc.groups < 1 || channels % desc.groups != 0) {
    return Status(StatusCode::invalid_argument,
                  "groups=" + std::to_string(desc.groups) +
                      " must be at least 1 and divide C=" + std::to_string(channels));
  }
  std::int64_t inner = 1;
  for (int axis = 2; axis < desc.extents.rank(); ++axis) inner *= desc.extents[axis];
  const std::int64_t channels_per_group = channels / desc.groups;

  CanonicalForm form;
  form.rows = n * desc.groups;
  form.row_len = channels_per_group * inner;
  form.rows_per_sample = desc.groups;
  form.affine = {desc.groups, channels_per_group, inner};
  return form;
}

}  // namespace fastnorm
