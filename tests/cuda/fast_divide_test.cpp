// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/device/fast_divide.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace fastnorm::cuda {
namespace {

TEST(FastDivide, IsExactUpToTheLargestNumbers) {
  constexpr std::uint32_t most = 0x7fffffff;
  for (const std::uint32_t divisor :
       {1U, 2U, 3U, 5U, 7U, 32U, 48U, 1000U, 65535U, 65537U, 1048577U, 1073741824U, most}) {
    const FastDivide by(divisor);
    for (const std::uint32_t near : {0U, divisor, most / divisor * divisor, most / 2, most}) {
      for (std::int64_t n = std::int64_t{near} - 3; n <= std::int64_t{near} + 3; ++n) {
        if (n < 0 || n > most) continue;
        const auto dividend = static_cast<std::uint32_t>(n);
        EXPECT_EQ(by.quotient(dividend), dividend / divisor) << n << " / " << divisor;
      }
    }
  }
}

}  // namespace
}  // namespace fastnorm::cuda
