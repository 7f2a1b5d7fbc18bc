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

/// A device that is not here, so that nothing is known of what it can run.
const DeviceKey elsewhere;

TuningEntry measured(const char* threads, const TuningStats& stats) {
  TuningEntry entry = sample_entry(1);
  entry.config = {{"threads", threads}};
  entry.stats = stats;
  return entry;
}

/// Of databases of one entry each.
std::vector<TuningEntry> join(const std::vector<TuningEntry>& rivals) {
  std::vector<std::vector<TuningEntry>> databases;
  for (const TuningEntry& rival : rivals) databases.push_back({rival});
  return join_by_evidence(databases, elsewhere);
}

/// The threads of the one that is believed, which must not depend on the order.
std::string believed(std::vector<TuningEntry> rivals) {
  const std::vector<TuningEntry> joined = join(rivals);
  EXPECT_EQ(joined.size(), 1U);
  std::sort(rivals.begin(), rivals.end(), [](const TuningEntry& a, const TuningEntry& b) {
    return a.config[0].value < b.config[0].value;
  });
  do {
    EXPECT_TRUE(same_entry(join(rivals).at(0), joined.at(0)));
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
      join_by_evidence({{sample_entry(2), sample_entry(1), atomic}}, elsewhere);
  ASSERT_EQ(joined.size(), 3U);
  EXPECT_TRUE(std::is_sorted(joined.begin(), joined.end(), sorts_before));
}

/// For the same calls, but for the wish for results that repeat.
TuningEntry atomic(const char* threads, const TuningStats& stats) {
  TuningEntry entry = measured(threads, stats);
  entry.key.deterministic = false;
  return entry;
}

/// The threads of all that are left, whatever the order of the databases.
std::string left_of(std::vector<std::vector<TuningEntry>> databases) {
  std::string all;
  for (int order = 0; order < 2; ++order) {
    std::string threads;
    for (const TuningEntry& entry : join_by_evidence(databases, elsewhere)) {
      threads += (threads.empty() ? "" : " ") + entry.config[0].value;
    }
    EXPECT_TRUE(order == 0 || threads == all) << threads << " and " << all;
    all = threads;
    std::reverse(databases.begin(), databases.end());
  }
  return all;
}

TEST(Evidence, OneDatabaseAloneLosesNothing) {
  EXPECT_EQ(
      left_of({{atomic("64", {100, 0, 9, 120, 60}), measured("32", {100.1, 0, 27, 120, 60})}}),
      "64 32");
}

TEST(Evidence, AFasterOneThatRepeatsTakesThePlaceOfOneThatDoesNot) {
  EXPECT_EQ(left_of({{atomic("64", {100, 1, 9, 120, 60}), measured("32", {110, 1, 9, 120, 60})},
                     {measured("128", {90, 1, 9, 120, 60})}}),
            "128");
}

TEST(Evidence, AFasterOneThatDoesNotRepeatIsBesideTheBestThatDoes) {
  EXPECT_EQ(left_of({{atomic("64", {80, 1, 9, 120, 60}), measured("32", {110, 1, 9, 120, 60})},
                     {measured("128", {90, 1, 9, 120, 60})}}),
            "64 128");
}

// 128 is as fast as 64 by its scatter, and 32 better than 128.
TEST(Evidence, NoneIsReplacedByWhatItsOwnRunFoundSlower) {
  EXPECT_EQ(left_of({{atomic("64", {10, .01, 36, 12, 6}), measured("32", {10.5, .01, 36, 12, 6})},
                     {measured("128", {10.8, 1.5, 9, 12, 6})}}),
            "64 32");
  EXPECT_EQ(left_of({{atomic("64", {100, 0, 9, 120, 60}), measured("32", {100.1, 0, 27, 120, 60})},
                     {measured("128", {110, 0, 27, 120, 60})}}),
            "64 32")
      << "less than what runs differ by was still found in one run";
}

TEST(Evidence, TheSameAgainChangesNothing) {
  const std::vector<TuningEntry> both{atomic("64", {100, 0, 9, 120, 60}),
                                      measured("32", {100.1, 0, 27, 120, 60})};
  EXPECT_EQ(left_of({both, both}), "64 32");
  EXPECT_EQ(left_of({both, {both[1]}}), "64 32") << "nor does half of it";
}

// 64 is as fast as 256, which is slower than 32.
TEST(Evidence, OneSlowerThanTheBestThatRepeatsIsNotBesideIt) {
  EXPECT_EQ(left_of({{atomic("64", {100, 5, 9, 120, 60}), measured("32", {103, .1, 36, 120, 60})},
                     {atomic("256", {104, .2, 99, 120, 60})}}),
            "64 32");
}

TEST(Evidence, AMarkAloneDoesNotTakeAwayWhatIsFasterInTheSameRun) {
  const auto disturbed = [](double us) {
    TuningStats stats{us, .01, 36, 20, 6};
    stats.disturbed_by = Disturbance::other_load;
    return stats;
  };
  EXPECT_EQ(left_of({{atomic("64", disturbed(10)), measured("32", {19, .01, 36, 20, 6})},
                     {measured("128", disturbed(9.8))}}),
            "64 32");
  EXPECT_EQ(left_of({{atomic("64", disturbed(10)), measured("32", {19, .01, 36, 20, 6})},
                     {measured("128", {18, .01, 36, 20, 6})}}),
            "128")
      << "undisturbed, and faster than what is left without the mark";
}

// Raw times would say 64.
TEST(Evidence, InCopiesToo) {
  EXPECT_EQ(
      left_of({{atomic("64", {100, 1, 9, 120, 50})}, {measured("128", {110, 1, 9, 120, 66})}}),
      "128");
}

TEST(Evidence, WithinNoiseResultsThatRepeatWin) {
  EXPECT_EQ(
      left_of({{atomic("64", {99, 5, 27, 120, 60})}, {measured("128", {100, 5, 9, 120, 60})}}),
      "128");
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
