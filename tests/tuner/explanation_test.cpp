// SPDX-License-Identifier: Apache-2.0
#include "tuner/explanation.hpp"

#include "core/fake_backend.hpp"
#include "support/shapes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace fastnorm::tuner {
namespace {

using test::FakeBackend;
using test::FakeVariant;
using test::group_norm_desc;

/// The device of FakeBackend, with another number of threads.
DeviceInfo other_host() {
  DeviceInfo device = FakeBackend::fake_host();
  device.processors = 64;
  return device;
}

class Explain : public ::testing::Test {
 protected:
  /// An entry for 2x8xlength in 4 groups, for which the library's own choice takes 10.
  TuningEntry entry(std::int64_t n, std::int64_t length, int threads, double median_us) const {
    TuningEntry entry;
    entry.key.backend = "fake-host";
    entry.key.deterministic = true;
    entry.shape = {n, 8, 4, length};
    entry.strategy = "quick";
    entry.config = {{"threads", std::to_string(threads)}};
    entry.stats = {median_us, 0, 9, 10, 1};
    return entry;
  }

  TuningDb database(std::vector<TuningEntry> entries,
                    const DeviceInfo& device = FakeBackend::fake_host()) const {
    TuningFile file;
    file.device_name = device.name;
    file.device = DeviceKey::of(device);
    file.source = "some.yaml";
    file.entries = std::move(entries);
    return TuningDb({file});
  }

  Explanation explained(const TuningDb& db, std::int64_t length = 1024) const {
    const Problem problem = Problem::create(group_norm_desc({2, 8, length}, 4)).value();
    const Result<Selection> selection =
        choose(problem, {{&backend_, &backend_.device_info()}}, db, {});
    EXPECT_TRUE(selection.ok()) << selection.status().message();
    return explain_selection(problem, selection.value(), db, {"0.2.0", "13.0", "580.65", ""});
  }

  /// "exact: nothing, bucket: taken, ..."
  static std::string outcomes(const Explanation& explanation) {
    std::string text;
    for (const ExplainedStep& step : explanation.steps) {
      text += std::string(text.empty() ? "" : ", ") + to_string(step.origin) + ": " +
              to_string(step.outcome);
    }
    return text;
  }

  FakeVariant quick_{"quick", 10};
  FakeBackend backend_{"fake-host", {&quick_}};
};

bool contains(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

TEST_F(Explain, WithoutAnEntryEachStepSaysWhatIsMissing) {
  const Explanation explanation = explained(TuningDb());
  EXPECT_EQ(outcomes(explanation),
            "exact: nothing, bucket: nothing, nearest: nothing, same_arch: nothing, heuristic: "
            "taken");
  EXPECT_EQ(explanation.steps[0].words, "nothing has been tuned on this device");
  for (const ExplainedStep& step : explanation.steps) EXPECT_FALSE(step.words.empty());
  EXPECT_FALSE(explanation.entry);
  EXPECT_FALSE(explanation.cost);
  EXPECT_TRUE(contains(explanation.cost_words, "not known")) << explanation.cost_words;
}

TEST_F(Explain, TheOrderIsExactBucketNearestSameArchitecture) {
  std::vector<TuningEntry> entries = {entry(2, 1024, 128, 5), entry(3, 1024, 128, 5),
                                      entry(2, 1000, 128, 5)};
  EXPECT_EQ(outcomes(explained(database(entries))),
            "exact: taken, bucket: not_needed, nearest: not_needed, same_arch: not_needed, "
            "heuristic: not_needed");
  entries.erase(entries.begin());
  EXPECT_EQ(outcomes(explained(database(entries))),
            "exact: nothing, bucket: taken, nearest: not_needed, same_arch: not_needed, "
            "heuristic: not_needed");
  entries.erase(entries.begin());
  EXPECT_EQ(outcomes(explained(database(entries))),
            "exact: nothing, bucket: nothing, nearest: taken, same_arch: not_needed, heuristic: "
            "not_needed");
  EXPECT_EQ(outcomes(explained(database(entries, other_host()))),
            "exact: nothing, bucket: nothing, nearest: nothing, same_arch: taken, heuristic: "
            "not_needed");
}

TEST_F(Explain, AnEntryIsNamedWithItsDifferenceAndItsTimes) {
  TuningEntry silu = entry(3, 1024, 128, 5);
  silu.key.epilogue.activation = Activation::silu;
  const std::string words = explained(database({silu})).steps[1].words;
  for (const char* piece : {"n=3 c=8 groups=4 inner=1024", "some.yaml", "n=3 instead of 2",
                            "epilogue silu instead of none", "5.0 us",
                            "2.00 times the built-in choice's speed", "0.20 of copy speed"}) {
    EXPECT_TRUE(contains(words, piece)) << piece << ": " << words;
  }
  EXPECT_TRUE(contains(explained(database({entry(2, 1100, 128, 5)})).steps[2].words,
                       "1.00 times as many rows, 1.07 times as long"));
}

TEST_F(Explain, AnEntryThatWasMeasuredOtherwiseSaysWithWhat) {
  TuningEntry old = entry(2, 1024, 128, 5);
  old.provenance = {"0.2.0", "12.8", "570.1", "2026-11-29"};
  EXPECT_TRUE(contains(explained(database({old})).steps[0].words,
                       "(2026-11-29), with CUDA 12.8 instead of 13.0, driver 570.1 instead of "
                       "580.65"));
  old.provenance = {"0.2.0", "13.0", "580.65", "2026-11-29"};
  EXPECT_FALSE(contains(explained(database({old})).steps[0].words, "instead of"));
}

TEST_F(Explain, AnUnusableEntryIsNamedWithItsReason) {
  const Explanation explanation = explained(database({entry(2, 1024, 2048, 5)}));
  EXPECT_EQ(outcomes(explanation),
            "exact: passed_over, bucket: nothing, nearest: nothing, same_arch: nothing, heuristic: "
            "taken");
  EXPECT_TRUE(contains(explanation.steps[0].words, "too many threads"));
}

TEST_F(Explain, WhatIsTunedCostsNothing) {
  const TuningDb db = database({entry(2, 1024, 128, 5)});
  const Explanation explanation = explained(db);
  EXPECT_FALSE(explanation.cost);
  EXPECT_TRUE(contains(explanation.cost_words, "nothing")) << explanation.cost_words;
  ASSERT_TRUE(explanation.entry);
  EXPECT_EQ(explanation.entry->entry->shape.n, 2);
}

// Far from the problem, so that the library chooses by itself: 10 / 5 and 10 / 8.
TEST_F(Explain, TheHeuristicCostsWhatItLosesOnTunedShapes) {
  const Explanation explanation =
      explained(database({entry(2, 100000, 128, 5), entry(2, 400000, 128, 8)}));
  ASSERT_TRUE(explanation.cost);
  const TuningCost& cost = *explanation.cost;
  EXPECT_EQ(cost.model, CostModel::builtin_choice);
  EXPECT_EQ(cost.shapes, 2U);
  EXPECT_EQ(cost.lose_nothing, 0U);
  EXPECT_DOUBLE_EQ(cost.typical, std::sqrt(2.0 * 1.25));
  EXPECT_DOUBLE_EQ(cost.worst, 2);
  EXPECT_TRUE(contains(explanation.cost_words, "about 58.1%, at most 100.0%"))
      << explanation.cost_words;
}

// Of three neighbours, two have each other's winner.
TEST_F(Explain, ANeighboursEntryCostsWhatLeavingOutShows) {
  const TuningDb db =
      database({entry(2, 1000, 128, 5), entry(2, 1010, 128, 5), entry(2, 1040, 512, 8)});
  const Explanation explanation = explained(db);
  ASSERT_TRUE(explanation.cost);
  const TuningCost& cost = *explanation.cost;
  EXPECT_EQ(cost.model, CostModel::others_entries);
  EXPECT_EQ(cost.shapes, 3U);
  EXPECT_EQ(cost.lose_nothing, 2U);
  EXPECT_DOUBLE_EQ(cost.typical, std::cbrt(1.25));
  EXPECT_DOUBLE_EQ(cost.worst, 1.25);
  EXPECT_TRUE(
      contains(explanation.cost_words,
               ": of the 3 nearest shapes tuned, 2 would run as fast without their entries; "
               "the other would not run its own winner, and is taken to lose what the "
               "library's own choice does"))
      << explanation.cost_words;
}

// The best that repeats, stored beside a faster one, is no second shape.
TEST_F(Explain, TwoEntriesForTheSameCallsAreOneShape) {
  TuningEntry faster = entry(2, 100000, 128, 4);
  faster.key.deterministic = false;
  const Explanation explanation = explained(database({entry(2, 100000, 128, 5), faster}));
  ASSERT_TRUE(explanation.cost);
  EXPECT_EQ(explanation.cost->shapes, 1U);
  EXPECT_TRUE(contains(explanation.cost_words,
                       "at most 150.0%: the nearest shape tuned would lose what the library's own "
                       "choice does"))
      << explanation.cost_words;
  EXPECT_DOUBLE_EQ(explanation.cost->typical, 2.5);
}

TEST_F(Explain, TheNearestShapesOfTheKindCount) {
  std::vector<TuningEntry> entries;
  for (std::int64_t i = 0; i < 20; ++i) entries.push_back(entry(2, 100000 + i, 128, 5));
  for (std::int64_t i = 0; i < 20; ++i) {
    entries.push_back(entry(2, 20000 + i, 128, 1));
    entries.back().key.x_type = entries.back().key.y_type = DType::f16;
  }
  const Explanation explanation = explained(database(entries));
  ASSERT_TRUE(explanation.cost);
  EXPECT_EQ(explanation.cost->shapes, 12U);
  EXPECT_DOUBLE_EQ(explanation.cost->worst, 2) << "f16 is nearer, and another kind";
}

TEST_F(Explain, AnotherDeviceIsAskedWhereThisOneHasNothing) {
  const Explanation explanation = explained(database({entry(2, 100000, 128, 5)}, other_host()));
  ASSERT_TRUE(explanation.cost);
  EXPECT_EQ(explanation.cost->device, DeviceMatch::same_arch);
  EXPECT_TRUE(contains(explanation.cost_words, "another device")) << explanation.cost_words;
}

}  // namespace
}  // namespace fastnorm::tuner
