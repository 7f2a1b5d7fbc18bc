// SPDX-License-Identifier: Apache-2.0
/// Moments of the elements that one thread of a device meets.
#pragma once

#include "backends/kokkos/moments.hpp"
#include "core/problem.hpp"

#include <Kokkos_Macros.hpp>

#include <cfloat>
#include <cstdint>

namespace fastnorm::kokkos {

/// Sums about the mean of the thread's first batch, or about 0 where that is the mean. Batches are
/// summed as Acc, or in double if their squares leave a float's range, and these sums added in
/// double. What lies far from the centre costs no more digits than the centre's own batch can: of n
/// batches, whose variance holds the distance of the first from the others, log2(n) bits at most.
template <class Acc>
class ThreadMoments {
 public:
  template <int Count>
  KOKKOS_FUNCTION void add(Statistics statistics, const Acc (&values)[Count]) {
    if (count_ == 0 && statistics == Statistics::mean_variance) centre_ = centre_of(values);
    Acc sum = 0;
    Acc squares = 0;
    for (const Acc value : values) {
      const Acc delta = value - centre_;
      sum += delta;
      squares += delta * delta;
    }
    if (sizeof(Acc) == sizeof(double) || squares <= FLT_MAX) {
      sum_ += static_cast<double>(sum);
      squares_ += static_cast<double>(squares);
    } else {
      add_in_double(values);
    }
    count_ += Count;
  }

  KOKKOS_FUNCTION Moments moments(Statistics statistics) const {
    if (count_ == 0) return {};
    const auto count = static_cast<double>(count_);
    if (statistics == Statistics::mean_square) return {count, 0, squares_};
    return moments_about(static_cast<double>(centre_), count, sum_, squares_);
  }

 private:
  /// Not beyond the largest of the values; 0 where one of them is not finite.
  template <int Count>
  KOKKOS_FUNCTION static Acc centre_of(const Acc (&values)[Count]) {
    Acc centre = 0;
    for (const Acc value : values) centre += value / Acc{Count};
    return centre - centre == 0 ? centre : Acc{0};
  }

  template <int Count>
  KOKKOS_FUNCTION void add_in_double(const Acc (&values)[Count]) {
    for (const Acc value : values) {
      const double delta = static_cast<double>(value) - static_cast<double>(centre_);
      sum_ += delta;
      squares_ += delta * delta;
    }
  }

  Acc centre_ = 0;
  std::int64_t count_ = 0;
  double sum_ = 0;
  double squares_ = 0;
};

}  // namespace fastnorm::kokkos
