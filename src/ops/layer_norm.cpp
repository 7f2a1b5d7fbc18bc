// SPDX-License-Identifier: Apache-2.0
#include "ops/canonical_form.hpp"

#include <algorithm>
#include <string>

namespace fastnorm {

Result<CanonicalForm> layer_norm_form(const NormDesc& desc, const StridedAxes& axes) {
  if (desc.groups != 0 && desc.groups != 1) {
    return Status(StatusCode::invalid_argument, "groups=" + std::to_string(desc.groups) + " for " +
                                                    to_string(desc.op) + " must be 0 or 1");
  }
  const int leading = axes.size() - desc.normalized_rank;
  CanonicalForm form;
  form.rows = 1;
  form.row_len = 1;
  StridedAxes rows;
  StridedAxes elements;
  for (int axis = 0; axis < leading; ++axis) {
    rows.push_back(axes[axis]);
    form.rows *= axes[axis].extent;
    // The first extent counts samples, the others the rows of each.
    if (axis > 0) form.rows_per_sample *= axes[axis].extent;
  }
  for (int axis = leading; axis < axes.size(); ++axis) {
    elements.push_back(axes[axis]);
    form.row_len *= axes[axis].extent;
  }
  form.rows_per_sample = std::max(form.rows_per_sample, std::int64_t{1});
  constexpr std::int64_t each_row_alike = 1;
  constexpr std::int64_t element_a_channel = 1;
  form.affine = {each_row_alike, form.row_len, element_a_channel};
  const Result<RowMemory> memory = row_memory(rows, elements);
  if (!memory.ok()) return memory.status();
  form.memory = memory.value();
  return form;
}

}  // namespace fastnorm
