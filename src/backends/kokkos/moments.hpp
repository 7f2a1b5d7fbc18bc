// SPDX-License-Identifier: Apache-2.0
/// Count, mean and centred sum of squares of a part of a row, and how two parts become one.
#pragma once

#include <Kokkos_Macros.hpp>

#include <cstdint>

namespace fastnorm::kokkos {

/// In double: a merge costs a few operations per block of elements, and the mean of large, close
/// values keeps the digits that a float would lose.
struct Moments {
  double count = 0;
  double mean = 0;
  double m2 = 0;  ///< Sum of (x - mean)^2.
};

/// Chan, Golub and LeVeque, "Updating Formulae and a Pairwise Algorithm for Computing Sample
/// Variances", 1979: what plain sums of x and x^2 lose by cancellation never arises.
KOKKOS_FORCEINLINE_FUNCTION void merge(Moments& into, const Moments& part) {
  if (part.count == 0) return;
  if (into.count == 0) {
    into = part;
    return;
  }
  const double count = into.count + part.count;
  const double delta = part.mean - into.mean;
  // Most parts are of one size, and a division takes as long as all the rest.
  const double weight = part.count == into.count ? 0.5 : part.count / count;
  into.mean += delta * weight;
  into.m2 += part.m2 + delta * delta * into.count * weight;
  into.count = count;
}

/// Moments from sums about any `centre` near the mean: `sum` of (x - centre) and `squares` of its
/// square.
KOKKOS_FORCEINLINE_FUNCTION Moments moments_about(double centre, double count, double sum,
                                                  double squares) {
  const double shift = sum / count;
  const double m2 = squares - sum * shift;
  return {count, centre + shift,
          m2 < 0 ? 0 : m2};  // Rounding alone can make it negative; NaN stays.
}

}  // namespace fastnorm::kokkos
