// SPDX-License-Identifier: Apache-2.0
#include "measure/samples.hpp"

#include "measure/random_values.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
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

constexpr Stopwatch fine{0.032, 16};
constexpr Stopwatch coarse{1.024, 16};

TEST(Samples, ShortRunsComeInBatches) {
  EXPECT_EQ(runs_a_sample(1000, fine), 1U);
  EXPECT_EQ(runs_a_sample(6.4, fine), 1U);
  EXPECT_EQ(runs_a_sample(3.2, fine), 2U);
  EXPECT_EQ(runs_a_sample(100, coarse), 3U);
  EXPECT_EQ(runs_a_sample(5, coarse), 16U);
  EXPECT_EQ(runs_a_sample(0, coarse), 16U);
  EXPECT_EQ(runs_a_sample(5, {0, 16}), 1U) << "a perfect clock";
}

/// Runs of one length on a clock with steps: each begins anywhere between two of them.
class SteppedClock {
 public:
  SteppedClock(double run_us, double step_us) : run_us_(run_us), step_us_(step_us) {}

  Result<std::vector<double>> operator()(std::size_t count) {
    std::vector<double> times;
    while (times.size() < count) {
      ++runs;
      const double begin = std::uniform_real_distribution<double>(0, step_us_)(random_);
      times.push_back(std::floor((begin + run_us_) / step_us_) * step_us_);
    }
    return times;
  }

  std::size_t runs = 0;

 private:
  double run_us_;
  double step_us_;
  std::mt19937 random_{7};
};

TEST(Samples, MeansOfBatchesTellWhatTheClockDoesNot) {
  SteppedClock clock(2.5, coarse.step_us);
  const auto samples = collect_samples({30, 30, 0}, coarse, std::ref(clock));
  ASSERT_TRUE(samples.ok());
  EXPECT_EQ(samples.value().size(), 30U);
  EXPECT_EQ(clock.runs, 1 + 30 * coarse.most_runs);
  EXPECT_NEAR(median(samples.value()), 2.5, 0.08) << "single runs take 2.048 or 3.072";
}

TEST(Samples, RunsLongEnoughAreSamplesThemselves) {
  SteppedClock clock(250, fine.step_us);
  const auto samples = collect_samples({11, 11, 0}, fine, std::ref(clock));
  ASSERT_TRUE(samples.ok());
  EXPECT_EQ(samples.value().size(), 11U);
  EXPECT_EQ(clock.runs, 11U);
}

TEST(Samples, ARunThatFailsEndsTheMeasurement) {
  std::size_t runs = 0;
  const auto fails = [&](std::size_t count) -> Result<std::vector<double>> {
    runs += count;
    if (runs > 4) return Status(StatusCode::device_error, "gone");
    return std::vector<double>(count, 100.0);
  };
  const auto samples = collect_samples({3, 100, 1e9}, fine, fails);
  EXPECT_EQ(samples.status().code(), StatusCode::device_error);
}

TEST(Samples, TheStepOfAClockIsFoundInItsTimes) {
  std::vector<double> times;
  for (int i = 0; i < 64; ++i) {
    // Anywhere up to 64 steps, with the rounding of a float in milliseconds.
    SteppedClock one(0.03 * i + 2, 0.032);
    const double us = one(1).value().front();
    times.push_back(1e3 * static_cast<double>(static_cast<float>(us * 1e-3)));
  }
  EXPECT_NEAR(smallest_step(times), 0.032, 1e-5);
  EXPECT_EQ(smallest_step({2, 2, 2}), 0);
  EXPECT_EQ(smallest_step({}), 0);
}

/// Mean and deviation of `count` values from `begin` on, all of one turn.
struct Spread {
  double mean;
  double deviation;
};
Spread spread(std::int64_t begin, std::int64_t count, std::int64_t turn) {
  double sum = 0;
  double squares = 0;
  for (std::int64_t i = begin; i < begin + count; ++i) {
    const double value = random_value(7, i, turn);
    sum += value;
    squares += value * value;
  }
  const double mean = sum / static_cast<double>(count);
  return {mean, std::sqrt(squares / static_cast<double>(count) - mean * mean)};
}

// Segments of one row, and rows of one segment.
TEST(RandomValues, AreSpreadAndDifferInTheMeanOfTheirSegmentsAndTurns) {
  constexpr std::int64_t segment = 4096;
  for (const bool by_turn : {false, true}) {
    double lowest = 10;
    double highest = -10;
    for (std::int64_t s = 0; s < 64; ++s) {
      const Spread of = by_turn ? spread(0, segment, s) : spread(s * segment, segment, 3);
      EXPECT_NEAR(of.deviation, 1.155, 0.06);
      lowest = std::min(lowest, of.mean);
      highest = std::max(highest, of.mean);
    }
    EXPECT_GT(highest - lowest, 0.8) << by_turn;
    EXPECT_GT(lowest, -0.6) << by_turn;
    EXPECT_LT(highest, 1.6) << by_turn;
  }
  EXPECT_NE(random_value(7, 0, 0), random_value(8, 0, 0));
}

TEST(RandomValues, TurnsOfTheRows) {
  const Turns none;
  const Turns rows{Turns{}.period, 10};
  const Turns channels_last{11, 4};
  for (std::int64_t place = 0; place < 100; ++place) {
    EXPECT_EQ(none.of(place), 0);
    EXPECT_EQ(rows.of(place), place / 10);
    EXPECT_EQ(channels_last.of(place), place % 11 / 4);
    for (const Turns& turns : {none, rows, channels_last}) {
      const std::int64_t end = turns.end_after(place);
      ASSERT_GT(end, place);
      EXPECT_EQ(turns.of(std::min(end, std::int64_t{200}) - 1), turns.of(place));
      if (end < 200) {
        EXPECT_NE(turns.of(end), turns.of(place));
      }
    }
  }
}

}  // namespace
}  // namespace fastnorm::measure
