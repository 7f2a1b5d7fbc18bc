#include "measure/samples.hpp"

#include "measure/random_values.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace fastnorm::measure {
namespace {

TEST(Samples, MedianOfOddEvenAndNone) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median({}), 0);
}

TEST(Samples, SummaryIsRobust) {
  const Summary summary = summarize({10, 11, 9, 10, 1000});
  EXPECT_EQ(summary.median_us, 10);
  EXPECT_EQ(summary.mad_us, 1);
  EXPECT_EQ(summary.samples, 5);
}

TEST(Samples, PolicyTakesAtLeastThenStopsAtTimeOrMost) {
  const SamplePolicy out_of_time(SampleLimits{5, 100, 0});
  EXPECT_EQ(out_of_time.next_batch(0), 5u);
  EXPECT_EQ(out_of_time.next_batch(3), 2u);
  EXPECT_EQ(out_of_time.next_batch(5), 0u);
  const SamplePolicy in_time(SampleLimits{5, 7, 1e9});
  EXPECT_EQ(in_time.next_batch(5), 2u);
  EXPECT_EQ(in_time.next_batch(7), 0u);
}

TEST(RandomValues, AreSpreadAndDifferInTheMeanOfTheirSegments) {
  constexpr std::int64_t segment = 4096;
  double lowest = 10;
  double highest = -10;
  for (std::int64_t s = 0; s < 64; ++s) {
    double sum = 0;
    double squares = 0;
    for (std::int64_t i = s * segment; i < (s + 1) * segment; ++i) {
      const double value = random_value(7, i);
      sum += value;
      squares += value * value;
    }
    const double mean = sum / segment;
    EXPECT_NEAR(std::sqrt(squares / segment - mean * mean), 1.155, 0.06);
    lowest = std::min(lowest, mean);
    highest = std::max(highest, mean);
  }
  EXPECT_LT(lowest, -0.2);
  EXPECT_GT(highest, 1.2);
  EXPECT_NE(random_value(7, 0), random_value(8, 0));
}

}  // namespace
}  // namespace fastnorm::measure
