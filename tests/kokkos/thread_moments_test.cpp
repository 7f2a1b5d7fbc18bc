// SPDX-License-Identifier: Apache-2.0
#include "backends/kokkos/thread_moments.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace fastnorm::kokkos {
namespace {

constexpr auto about_mean = Statistics::mean_variance;

TEST(ThreadMoments, NothingSeenIsNothing) {
  EXPECT_EQ(ThreadMoments<float>().moments(about_mean).count, 0);
}

TEST(ThreadMoments, LargeMeansKeepTheVariance) {
  ThreadMoments<float> seen;
  for (int batch = 0; batch < 1000; ++batch) seen.add(about_mean, {65535.0f, 65537.0f});
  const Moments moments = seen.moments(about_mean);
  EXPECT_EQ(moments.count, 2000);
  EXPECT_DOUBLE_EQ(moments.mean, 65536);
  EXPECT_DOUBLE_EQ(moments.m2, 2000);
}

TEST(ThreadMoments, AnOutlierAtTheCentreCostsFewDigits) {
  constexpr int batches = 512;
  ThreadMoments<float> seen;
  Moments expected;
  for (int batch = 0; batch < batches; ++batch) {
    const float first = batch == 0 ? 1e4f : 0.3f;
    seen.add(about_mean, {first, 1.1f, -0.7f, 0.2f});
    for (const float value : {first, 1.1f, -0.7f, 0.2f}) merge(expected, {1, value, 0});
  }
  const Moments moments = seen.moments(about_mean);
  const double deviation = std::sqrt(expected.m2 / expected.count);
  EXPECT_NEAR(moments.mean, expected.mean, 1e-5 * deviation);
  EXPECT_NEAR(moments.m2 / expected.m2, 1, 1e-4);
}

TEST(ThreadMoments, SquaresBeyondAFloatAreSummedInDouble) {
  ThreadMoments<float> seen;
  seen.add(about_mean, {3e38f, -3e38f});
  seen.add(about_mean, {1e30f, -1e30f});
  const Moments moments = seen.moments(about_mean);
  EXPECT_EQ(moments.mean, 0);
  EXPECT_NEAR(moments.m2 / 1.8e77, 1, 1e-6);
}

TEST(ThreadMoments, OfSquaresTheCentreIsZero) {
  ThreadMoments<float> seen;
  seen.add(Statistics::mean_square, {3.0f, 4.0f});
  const Moments moments = seen.moments(Statistics::mean_square);
  EXPECT_EQ(moments.mean, 0);
  EXPECT_EQ(moments.m2, 25);
}

TEST(ThreadMoments, WhatIsNotFiniteShows) {
  for (const float value :
       {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    for (const bool is_first : {true, false}) {
      ThreadMoments<float> seen;
      if (!is_first) seen.add(about_mean, {1.0f, 2.0f});
      seen.add(about_mean, {1.0f, value});
      EXPECT_FALSE(std::isfinite(seen.moments(about_mean).mean)) << value;
    }
  }
}

}  // namespace
}  // namespace fastnorm::kokkos
