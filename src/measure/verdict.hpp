// SPDX-License-Identifier: Apache-2.0
/// What a verification found.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fastnorm::measure {

struct Verdict {
  std::int64_t violations = 0;  ///< Elements of y beyond the tolerance; NaN always is.
  double worst_ratio = 0;       ///< Largest |y - reference| / tolerance; infinite for NaN.
  std::vector<std::int64_t> worst_index{};  ///< Of that element, one for each extent.
  double got = 0;                           ///< y there,
  double expected = 0;                      ///< and the fp64 reference.
  /// Where something was written that should not have been: "around y, in x".
  std::string damaged;

  bool ok() const noexcept { return violations == 0 && damaged.empty(); }

  /// "right, worst error 0.31 of the tolerance", or what is wrong.
  std::string describe() const;
};

}  // namespace fastnorm::measure
