// SPDX-License-Identifier: Apache-2.0
/// The reference: every operation in double precision on the host (f64 tensors: in long double),
/// written from the definition in NormDesc and from nothing that the kernels use.
#pragma once

#include "support/element_types.hpp"

#include <fastnorm/norm_desc.hpp>

#include <optional>

namespace fastnorm::test {

/// The inputs of one call, in memory order; all but x may be absent. A kernel finds them rounded to
/// their types, and so does the reference.
struct NormInputs {
  Values x{};
  std::optional<Values> gamma{};
  std::optional<Values> beta{};
  std::optional<Values> residual{};
  std::optional<Values> scale{};
  std::optional<Values> shift{};
};

struct NormReference {
  Values y{};     ///< Like x; not rounded to y's type.
  Values mean{};  ///< One a row; 0 for rms_norm.
  Values rstd{};  ///< One a row.
  Values sum{};   ///< x + residual, rounded to x's type; empty without a residual.

  /// What an error is judged by, for each element: (h - mean) * rstd before any rounding, the
  /// factor gamma (1 + scale) that it meets, and the value before the activation.
  Values normalised{};
  Values factor{};
  Values before_activation{};
};

NormReference reference(const NormDesc& desc, const NormInputs& inputs);

}  // namespace fastnorm::test
