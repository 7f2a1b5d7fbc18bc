// SPDX-License-Identifier: Apache-2.0
#include "tuner/evidence.hpp"

#include "core/tuning_samples.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace fastnorm::tuner {
namespace {

using test::same_entry;
using test::sample_entry;

TuningEntry measured(const char* threads, const TuningStats& stats) {
  TuningEntry entry = sample_entry(1);
  entry.config = {{"threads", threads}};
  entry.stats = stats;
  return entry;
}

/// The threads of the one that is believed, which must not depend on the order.
std::string believed(std::vector<TuningEntry> rivals) {
  const std::vector<TuningEntry> joined = join_by_evidence(rivals);
  EXPECT_EQ(joined.size(), 1U);
  std::sort(rivals.begin(), rivals.end(), [](const TuningEntry& a, const TuningEntry& b) {
    return a.config[0].value < b.config[0].value;
  });
  do {
    EXPECT_TRUE(same_entry(join_by_evidence(rivals).at(0), joined.at(0)));
  } while (std::next_permutation(rivals.begin(), rivals.end(),
                                 [](const TuningEntry& a, const TuningEntry& b) {
                                   return a.config[0].value < b.config[0].value;
                                 }));
  return joined.at(0).config[0].value;
}

TEST(Evidence, OtherKeysAndShapesAllStay) {
  TuningEntry atomic = sample_entry(1);
  atomic.key.deterministic = false;
  const std::vector<TuningEntry> joined =
      join_by_evidence({sample_entry(2), sample_entry(1), atomic});
  ASSERT_EQ(joined.size(), 3U);
  EXPECT_TRUE(std::is_sorted(joined.begin(), joined.end(), sorts_before));
}

TEST(Evidence, TheFasterOneBeyondNoiseWinsHoweverFewItsSamples) {
  EXPECT_EQ(believed({measured("64", {90, 1, 9, 120, 60}), measured("128", {100, 1, 99, 120, 60})}),
            "64");
}

TEST(Evidence, WhatWasDisturbedCountsWhereThereIsNothingElse) {
  TuningStats hot{90, 1, 99, 120, 60};
  hot.disturbed_by = Disturbance::thermal_slowdown;
  EXPECT_EQ(believed({measured("64", hot), measured("128", {100, 1, 9, 120, 60})}), "128");
  TuningStats hotter = hot;
  hotter.median_us = 100;
  EXPECT_EQ(believed({measured("64", hot), measured("128", hotter)}), "64");
}

TEST(Evidence, WithinNoiseTheOneOfMoreSamplesWins) {
  EXPECT_EQ(believed({measured("64", {98, 5, 9, 120, 60}), measured("128", {100, 5, 27, 120, 60})}),
            "128");
}

TEST(Evidence, RunsDifferByHalfAPercentWithoutAnyScatter) {
  EXPECT_EQ(
      believed({measured("64", {99.6, 0, 9, 120, 60}), measured("128", {100, 0, 27, 120, 60})}),
      "128");
  EXPECT_EQ(believed({measured("64", {99, 0, 9, 120, 60}), measured("128", {100, 0, 27, 120, 60})}),
            "64");
}

TEST(Evidence, OfAsManySamplesThoseThatScatterLessWin) {
  EXPECT_EQ(
      believed({measured("64", {99.9, 4, 27, 120, 60}), measured("128", {100, 1, 27, 120, 60})}),
      "128");
}

TEST(Evidence, AMachineThatCopiesSlowlyIsNoSlowerByIt) {
  EXPECT_EQ(
      believed({measured("64", {100, 1, 27, 120, 50}), measured("128", {110, 1, 27, 120, 66})}),
      "128");
  // Where one of them does not know its copy, times are all there is.
  EXPECT_EQ(
      believed({measured("64", {100, 1, 27, 120, 50}), measured("128", {110, 1, 27, 120, 0})}),
      "64");
}

TEST(Evidence, TheDefaultsTimeIsNone) {
  EXPECT_EQ(believed({measured("64", {90, 1, 27, 95, 60}), measured("128", {100, 1, 27, 400, 60})}),
            "64");
}

TEST(Evidence, OfThreeItIsTheBestAmongThoseAsFastAsTheFastest) {
  EXPECT_EQ(believed({measured("64", {90, 1, 9, 120, 60}), measured("128", {90.5, 1, 27, 120, 60}),
                      measured("256", {100, 1, 999, 120, 60})}),
            "128");
}

TEST(Evidence, EqualsAreToldApartBySomethingOtherThanTheirOrder) {
  believed({measured("64", {90, 1, 9, 120, 60}), measured("128", {90, 1, 9, 120, 60})});
}

}  // namespace
}  // namespace fastnorm::tuner
