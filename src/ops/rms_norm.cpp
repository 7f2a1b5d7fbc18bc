// SPDX-License-Identifier: Apache-2.0
#include "ops/canonical_form.hpp"

namespace fastnorm {

Result<CanonicalForm> rms_norm_form(const NormDesc& desc, const StridedAxes& axes) {
  Result<CanonicalForm> form = layer_norm_form(desc, axes);
  if (form.ok()) form.value().statistics = Statistics::mean_square;
  return form;
}

}  // namespace fastnorm
