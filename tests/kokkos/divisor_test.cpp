// SPDX-License-Identifier: Apache-2.0
#include "backends/kokkos/divisor.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace fastnorm::kokkos {
namespace {

constexpr std::int64_t two_to_31 = std::int64_t{1} << 31;

TEST(Divisor, DividesShortAndLongNumbers) {
  for (const std::int64_t divisor :
       {std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, std::int64_t{10}, std::int64_t{15876},
        std::int64_t{1} << 18, two_to_31 - 1, two_to_31, two_to_31 + 7}) {
    const Divisor by(divisor);
    for (const std::int64_t base :
         {std::int64_t{0}, divisor, 7 * divisor, two_to_31, 5 * two_to_31}) {
      for (std::int64_t n = base > 2 ? base - 2 : 0; n <= base + 2; ++n) {
        EXPECT_EQ(by.quotient(n), n / divisor) << n << " / " << divisor;
        EXPECT_EQ(by.remainder(n), n % divisor) << n << " % " << divisor;
      }
    }
  }
}

}  // namespace
}  // namespace fastnorm::kokkos
