// SPDX-License-Identifier: Apache-2.0
/// From a configuration's number of lanes to the kernel compiled for it.
#pragma once

#include <array>
#include <type_traits>
#include <utility>

namespace fastnorm::kokkos {

/// 32 fill the vector registers of AVX2 and below, 64 those of AVX-512. GCC leaves 16 in scalars.
inline constexpr std::array<int, 2> lane_counts{32, 64};

/// Calls make(std::integral_constant<int, lanes>); `lanes` is one of lane_counts.
template <class Make>
auto with_lanes(int lanes, Make&& make) {
  if (lanes == 64) return std::forward<Make>(make)(std::integral_constant<int, 64>{});
  return std::forward<Make>(make)(std::integral_constant<int, 32>{});
}

}  // namespace fastnorm::kokkos
