// SPDX-License-Identifier: Apache-2.0
/// Moments of the few values that a thread has in registers.
#pragma once

#include "backends/kokkos/moments.hpp"
#include "core/problem.hpp"

#include <Kokkos_Macros.hpp>

#include <cfloat>

namespace fastnorm::kokkos {

/// Sums about the batch's own mean, which no outlier elsewhere can spoil, or about 0 where that is
/// the mean. In Real = float; in double if the squares leave a float's range.
template <class Real, class Acc, int Count>
KOKKOS_FUNCTION Moments batch_moments(Statistics statistics, const Acc (&values)[Count]) {
  Real centre = 0;
  if (statistics == Statistics::mean_variance) {
    for (const Acc value : values) centre += static_cast<Real>(value);
    centre /= static_cast<Real>(Count);
  }
  Real sum = 0;
  Real squares = 0;
  for (const Acc value : values) {
    const Real delta = static_cast<Real>(value) - centre;
    sum += delta;
    squares += delta * delta;
  }
  if constexpr (sizeof(Real) < sizeof(double)) {
    if (!(squares <= FLT_MAX)) return batch_moments<double>(statistics, values);
  }
  if (statistics == Statistics::mean_square) return {Count, 0, static_cast<double>(squares)};
  return moments_about(static_cast<double>(centre), Count, static_cast<double>(sum),
                       static_cast<double>(squares));
}

}  // namespace fastnorm::kokkos
