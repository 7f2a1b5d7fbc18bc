// SPDX-License-Identifier: Apache-2.0
// The polynomial that GELU is made of, on the host: what its comment promises.
#include "backends/cuda/device/activation.cuh"

#include <gtest/gtest.h>

#include <cmath>

namespace fastnorm::cuda {
namespace {

using activation_detail::log2_of_tail;

double tail(double a) { return std::erfc(a / std::sqrt(2.0)) / 2; }

/// Of a power without any rounding of its own.
double approximate_tail(float a) { return std::exp2(static_cast<double>(log2_of_tail(a))); }

template <class Check>
void for_each_step(float end, Check&& check) {
  constexpr float step = 1.0F / 4096;
  for (float a = 0; a <= end; a += step) check(a);
}

TEST(GeluTail, IsHalfAtZero) { EXPECT_EQ(log2_of_tail(0), -1.0F); }

TEST(GeluTail, ItsProductIsRightEverywhere) {
  for_each_step(16, [](float a) { ASSERT_NEAR(a * approximate_tail(a), a * tail(a), 4e-8) << a; });
}

TEST(GeluTail, IsRightToItselfBelowThree) {
  for_each_step(3, [](float a) { ASSERT_NEAR(approximate_tail(a) / tail(a), 1, 3e-6) << a; });
}

TEST(GeluTail, FallsOn) {
  float before = log2_of_tail(0);
  for_each_step(16, [&before](float a) {
    if (a == 0) return;
    ASSERT_LT(log2_of_tail(a), before) << a;
    before = log2_of_tail(a);
  });
  EXPECT_LT(before, -150);
}

}  // namespace
}  // namespace fastnorm::cuda
