#include "ops/canonical_form.hpp"

#include <algorithm>
#include <string>

namespace fastnorm {

Result<CanonicalForm> layer_norm_form(const NormDesc& desc) {
  if (desc.groups != 0 && desc.groups != 1) {
    return Status(StatusCode::invalid_argument, "groups=" + std::to_string(desc.groups) + " for " +
                                                    to_string(desc.op) + " must be 0 or 1");
  }
  const int leading = desc.extents.rank() - desc.normalized_rank;
  CanonicalForm form;
  form.rows = 1;
  for (int axis = 0; axis < leading; ++axis) {
    form.rows *= desc.extents[axis];
    // The first extent counts samples, the others the rows of each.
    if (axis > 0) form.rows_per_sample *= desc.extents[axis];
  }
  form.rows_per_sample = std::max(form.rows_per_sample, std::int64_t{1});
  form.row_len = 1;
  for (int axis = leading; axis < desc.extents.rank(); ++axis) form.row_len *= desc.extents[axis];
  constexpr std::int64_t each_row_alike = 1;
  constexpr std::int64_t element_a_channel = 1;
  form.affine = {each_row_alike, form.row_len, element_a_channel};
  return form;
}

}  // namespace fastnorm
