// SPDX-License-Identifier: Apache-2.0
/// From a configuration's number of lanes to the kernel compiled for it.
#pragma once

#include <array>
#include <type_traits>
#include <utility>

namespace fastnorm::kokkos {

/// Enough chains of additions for the vectors of any instruction set; of 16, GCC 12 makes scalars.
/// The default first.
inline constexpr std::array<int, 2> lane_counts{64, 32};

/// Calls make(std::integral_constant<int, lanes>); `lanes` is one of lane_counts.
template <class Make>
auto with_lanes(int lanes, Make&& make) {
  if (lanes == 64) return std::forward<Make>(make)(std::integral_constant<int, 64>{});
  return std::forward<Make>(make)(std::integral_constant<int, 32>{});
}

}  // namespace fastnorm::kokkos
