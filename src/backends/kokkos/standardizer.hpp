// SPDX-License-Identifier: Apache-2.0
/// From a row's moments to (h - mean) * rstd, and that composed with an affine map.
#pragma once

#include "backends/kokkos/isa.hpp"
#include "backends/kokkos/moments.hpp"
#include "backends/kokkos/normalization.hpp"

#include <Kokkos_Macros.hpp>

#include <cfloat>
#include <cmath>
#include <cstdint>

namespace fastnorm::kokkos {
inline namespace FASTNORM_ISA {

/// The mean is held as an Acc and the rest that it misses: subtracting the former first is exact
/// for values near it, so large means cost no digits.
template <class Acc>
struct Standardizer {
  Acc centre = 0;   ///< The mean, rounded.
  double rest = 0;  ///< mean - centre.
  double rstd = 1;

  KOKKOS_INLINE_FUNCTION static Standardizer of(const Moments& row, double eps) {
    const auto centre = static_cast<Acc>(row.mean);
    const double variance = row.m2 / row.count + eps;
    // An infinite one says nothing of the row, and would make zeros of it.
    const double rstd = variance <= DBL_MAX ? 1.0 / sqrt(variance) : static_cast<double>(NAN);
    return {centre, row.mean - static_cast<double>(centre), rstd};
  }

  /// For one channel: (h - centre) * scale + shift.
  struct Line {
    Acc centre;
    Acc scale;
    Acc shift;
    KOKKOS_INLINE_FUNCTION Acc operator()(Acc h) const { return (h - centre) * scale + shift; }
  };

  /// (h - mean) * rstd * factor + offset
  KOKKOS_INLINE_FUNCTION Line line(Acc factor, Acc offset) const {
    const double scale = rstd * static_cast<double>(factor);
    return {centre, static_cast<Acc>(scale),
            static_cast<Acc>(static_cast<double>(offset) - rest * scale)};
  }
};

/// The same without doubles, for many channels a row: of all arithmetic, devices take longest for
/// conversions to and from double. A product is rounded once more.
template <class Acc>
class LineStandardizer {
 public:
  using Line = typename Standardizer<Acc>::Line;

  LineStandardizer() = default;
  KOKKOS_INLINE_FUNCTION explicit LineStandardizer(const Standardizer<Acc>& row)
      : plain_(row.line(Acc{1}, Acc{0})) {}

  KOKKOS_INLINE_FUNCTION Line line(Acc factor, Acc offset) const {
    return {plain_.centre, plain_.scale * factor, plain_.shift * factor + offset};
  }

 private:
  Line plain_{0, 1, 0};
};

/// Stores the saved statistics of a row where they are wanted.
template <class Acc>
KOKKOS_INLINE_FUNCTION void store_statistics(const Normalization& call, std::int64_t row,
                                             const Standardizer<Acc>& standardizer,
                                             const Moments& moments) {
  if (call.tensors.mean != nullptr) {
    static_cast<Acc*>(call.tensors.mean)[row] = static_cast<Acc>(moments.mean);
  }
  if (call.tensors.rstd != nullptr) {
    static_cast<Acc*>(call.tensors.rstd)[row] = static_cast<Acc>(standardizer.rstd);
  }
}

}  // namespace FASTNORM_ISA
}  // namespace fastnorm::kokkos
