/// What a verification found.
#pragma once

#include <cstdint>
#include <string>

namespace fastnorm::measure {

struct Verdict {
  std::int64_t violations = 0;   ///< Elements of y beyond the tolerance; NaN always is.
  double worst_ratio = 0;        ///< Largest |y - reference| / tolerance; infinite for NaN.
  std::int64_t worst_index = 0;  ///< Of that element, in memory order.
  double got = 0;                ///< y there,
  double expected = 0;           ///< and the fp64 reference.
  /// Names of the tensors ("y", "workspace") around which, or inputs in which, something was
  /// written.
  std::string damaged;

  bool ok() const noexcept { return violations == 0 && damaged.empty(); }

  /// "right, worst error 0.31 of the tolerance", or what is wrong.
  std::string describe() const;
};

}  // namespace fastnorm::measure
