// SPDX-License-Identifier: Apache-2.0
#include "backends/kokkos/moments.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace fastnorm::kokkos {
namespace {

Moments moments_of(const std::vector<double>& values) {
  Moments moments;
  for (const double value : values) merge(moments, {1, value, 0});
  return moments;
}

TEST(Moments, MergingNothingChangesNothing) {
  const Moments some{3, 2.5, 7};
  Moments left = some;
  merge(left, Moments{});
  Moments right;
  merge(right, some);
  for (const Moments& merged : {left, right}) {
    EXPECT_EQ(merged.count, some.count);
    EXPECT_EQ(merged.mean, some.mean);
    EXPECT_EQ(merged.m2, some.m2);
  }
}

TEST(Moments, MergingIsAsGoodAsOnePass) {
  Moments merged = moments_of({1, 2, 3});
  merge(merged, moments_of({10, 20}));
  EXPECT_DOUBLE_EQ(merged.count, 5);
  EXPECT_DOUBLE_EQ(merged.mean, 7.2);
  EXPECT_DOUBLE_EQ(merged.m2, 254.8);
}

TEST(Moments, LargeMeansKeepTheVariance) {
  Moments moments;
  for (int part = 0; part < 1000; ++part) merge(moments, moments_of({1e8 - 1, 1e8 + 1}));
  EXPECT_DOUBLE_EQ(moments.mean, 1e8);
  EXPECT_NEAR(moments.m2 / moments.count, 1, 1e-12);
}

TEST(Moments, AnOutlierLeavesTheRestInPlace) {
  Moments moments = moments_of({1e15});
  for (int i = 0; i < 3; ++i) merge(moments, moments_of({1, 3}));
  EXPECT_NEAR(moments.mean, (1e15 + 12) / 7, 0.25);
  EXPECT_NEAR(moments.m2 / (1e30 * 6 / 7), 1, 1e-12);
}

TEST(Moments, SumsAboutACentreNearTheMean) {
  // 4, 6, 8 about 5: the mean is 6.
  const Moments moments = moments_about(5, 3, 3, 11);
  EXPECT_DOUBLE_EQ(moments.mean, 6);
  EXPECT_DOUBLE_EQ(moments.m2, 8);
}

TEST(Moments, RoundingMakesNoNegativeVariance) {
  EXPECT_EQ(moments_about(0, 3, 3, 3 - 1e-15).m2, 0);
}

TEST(Moments, NanIsKept) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(moments_about(0, 2, nan, nan).m2));
  Moments moments = moments_of({1, 2});
  merge(moments, {1, nan, 0});
  EXPECT_TRUE(std::isnan(moments.mean));
  EXPECT_TRUE(std::isnan(moments.m2));
}

}  // namespace
}  // namespace fastnorm::kokkos
