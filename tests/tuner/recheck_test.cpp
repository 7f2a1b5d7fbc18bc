// SPDX-License-Identifier: Apache-2.0
#include "core/tuning_store.hpp"
#include "core/tuning_yaml.hpp"
#include "tuner/entry_job.hpp"
#include "tuner/fake_sites.hpp"
#include "tuner/recheck_entry.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace fastnorm::tuner {
namespace {

using test::FakeSite;
using test::FakeTarget;
using test::ListedVariant;

/// Each candidate takes the time that is written here, or 100 us.
class KnownSite final : public FakeSite {
 public:
  using FakeSite::FakeSite;

  std::map<std::string, double> times_us;
  std::string wrong;  ///< The candidate that is.
  Status beginning;
  Disturbances disturbed_by;

  Disturbances disturbances() const override { return disturbed_by; }
  Result<CaseStart> begin(const Job&) override {
    if (!beginning.ok()) return beginning;
    return CaseStart{};
  }
  Result<std::vector<double>> time(const Contender& contender,
                                   const measure::SampleLimits& limits) override {
    const auto known = times_us.find(contender.text());
    return std::vector<double>(static_cast<std::size_t>(limits.at_least),
                               known == times_us.end() ? 100 : known->second);
  }

 private:
  Status verify(const Contender& contender, Placement) override {
    return contender.text() == wrong ? Status(StatusCode::device_error, "wrong result") : Status();
  }
};

class RecheckTest : public ::testing::Test {
 protected:
  static TuningEntry entry(const std::string& strategy, int number) {
    TuningEntry entry = test::sample_entry(2, 8, 4, 16);
    entry.key.backend = "fake";
    entry.strategy = strategy;
    entry.config = ListedVariant::config(number).fields();
    return entry;
  }

  Result<Rechecked> check(const TuningEntry& entry, Rivals rivals = Rivals::all) {
    return recheck(entry, rivals, target_.candidate, site_, [] { return false; });
  }

  FakeTarget target_;
  KnownSite site_{target_, "unused.yaml"};
};

TEST_F(RecheckTest, WhatBeatsTheDefaultStays) {
  site_.times_us["steady number=3"] = 90;
  const Result<Rechecked> result = check(entry("steady", 3));
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result.value().verdict, Verdict::wins);
  EXPECT_EQ(result.value().choice->winner.time.median_us, 90);
  EXPECT_EQ(result.value().choice->default_choice.time.median_us, 100);
}

TEST_F(RecheckTest, WhatIsNoFasterOrSlowerThanTheDefaultLoses) {
  for (const double us : {100.0, 99.9, 110.0, 1000.0}) {
    site_.times_us["steady number=3"] = us;
    const Result<Rechecked> result = check(entry("steady", 3));
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_EQ(result.value().verdict, Verdict::loses) << us;
    EXPECT_EQ(result.value().reason, "the default, steady number=0, is as fast");
  }
}

TEST_F(RecheckTest, WhatIsWrongLosesHoweverFast) {
  site_.times_us["steady number=3"] = 10;
  site_.wrong = "steady number=3";
  const Result<Rechecked> result = check(entry("steady", 3));
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result.value().verdict, Verdict::loses);
  EXPECT_EQ(result.value().reason, "wrong result");
}

TEST_F(RecheckTest, TheDefaultItselfIsMeasuredAlone) {
  const Result<Rechecked> result = check(entry("steady", 0));
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result.value().verdict, Verdict::is_default);
  EXPECT_EQ(result.value().stats.value().median_us, 100);
}

TEST_F(RecheckTest, WhatStaysEarnsFiguresWhereNothingDisturbedThem) {
  site_.times_us["steady number=3"] = 90;
  const TuningStats stats = check(entry("steady", 3)).value().stats.value();
  EXPECT_EQ(stats.median_us, 90);
  EXPECT_EQ(stats.default_us, 100);
  EXPECT_GT(stats.samples, 0);
  site_.disturbed_by = Disturbance::other_load;
  EXPECT_FALSE(check(entry("steady", 3)).value().stats);
}

TEST_F(RecheckTest, WhatAnotherLibraryMayKnowIsNotJudged) {
  EXPECT_EQ(check(entry("unknown", 0)).status().message(),
            "strategy unknown is unknown to fake, which has steady, other, atomic; it stays for a "
            "library that can use it");
  TuningEntry foreign = entry("steady", 3);
  foreign.config = {{"lanes", "4"}};
  EXPECT_FALSE(check(foreign).ok());
}

TEST_F(RecheckTest, WhatNoCallCanRunIsUseless) {
  target_.steady.refusal = "not any more";
  const Result<Rechecked> refused = check(entry("steady", 3));
  EXPECT_EQ(refused.value().verdict, Verdict::useless);
  EXPECT_EQ(refused.value().reason, "not any more");
}

TEST_F(RecheckTest, TheBestDeterministicOneCompetesWithItsLike) {
  target_.steady.refusal = "so that the default is not deterministic";
  target_.other.repeatable = false;
  target_.atomic.repeatable = true;
  site_.times_us["other number=0"] = 80;
  site_.times_us["atomic number=3"] = 90;
  EXPECT_EQ(check(entry("atomic", 3)).value().verdict, Verdict::loses);
  EXPECT_EQ(check(entry("atomic", 3), Rivals::deterministic).value().verdict, Verdict::wins);
}

/// What a run has left where the default's results do not repeat: two entries for the same calls.
class EntriesRecheckTest : public RecheckTest {
 protected:
  EntriesRecheckTest() {
    target_.steady.refusal = "so that the default is not deterministic";
    target_.other.repeatable = false;
    target_.atomic.repeatable = true;
    site_.times_us["other number=0"] = 80;  // the default
    site_.times_us["other number=3"] = 70;
    site_.times_us["atomic number=3"] = 90;  // the deterministic default takes 100
    entries_ = {entry("other", 3), entry("atomic", 3)};
    entries_[0].key.deterministic = false;
    entries_[1].key.deterministic = true;
  }

  std::vector<Verdict> verdicts() {
    EntriesRecheck recheck(entries_, target_.candidate, site_);
    std::vector<Verdict> verdicts;
    for (const TuningEntry& entry : entries_) {
      const Result<Rechecked> result = recheck.check(entry, [] { return false; });
      EXPECT_TRUE(result.ok()) << result.status().message();
      if (result.ok()) verdicts.push_back(result.value().verdict);
    }
    return verdicts;
  }

  std::vector<TuningEntry> entries_;
};

TEST_F(EntriesRecheckTest, BesideAWinnerTheBestDeterministicOneCompetesWithItsLike) {
  EXPECT_TRUE(sorts_before(entries_[0], entries_[1]));
  EXPECT_EQ(verdicts(), (std::vector<Verdict>{Verdict::wins, Verdict::wins}));
}

TEST_F(EntriesRecheckTest, OnceTheWinnerHasLostItMeetsTheDefaultOfAll) {
  site_.times_us["other number=3"] = 85;
  EXPECT_EQ(verdicts(), (std::vector<Verdict>{Verdict::loses, Verdict::loses}));
  site_.times_us["atomic number=3"] = 75;
  EXPECT_EQ(verdicts(), (std::vector<Verdict>{Verdict::loses, Verdict::wins}));
}

TEST_F(EntriesRecheckTest, AWinnerOfOtherCallsIsNotBesideIt) {
  entries_[0].shape.n = 1;
  EXPECT_EQ(verdicts(), (std::vector<Verdict>{Verdict::wins, Verdict::loses}));
}

TEST_F(RecheckTest, WhereNothingCanBeSaidNothingIs) {
  site_.wrong = "steady number=0";
  EXPECT_FALSE(check(entry("steady", 3)).ok()) << "the default itself is wrong";
  site_.wrong = "";
  site_.beginning = {StatusCode::out_of_memory, "no room"};
  EXPECT_EQ(check(entry("steady", 3)).status().message(), "no room");
}

TEST_F(RecheckTest, DisturbedTimesTakeNothingAway) {
  site_.times_us["steady number=3"] = 120;
  site_.disturbed_by = Disturbance::other_load;
  EXPECT_EQ(check(entry("steady", 3)).status().message(),
            "the measurements were disturbed (other_load); check it again when that has passed");
  site_.wrong = "steady number=3";
  EXPECT_EQ(check(entry("steady", 3)).value().verdict, Verdict::loses) << "whatever the times";
  site_.wrong = "";
  site_.disturbed_by = Disturbance::scatter;
  EXPECT_EQ(check(entry("steady", 3)).value().verdict, Verdict::loses);
  site_.times_us["steady number=3"] = 10;
  site_.disturbed_by = Disturbance::other_load;
  EXPECT_EQ(check(entry("steady", 3)).value().verdict, Verdict::wins);
}

/// An entry that such a problem finds.
TuningEntry entry_of(const Problem& problem) {
  TuningEntry entry = test::sample_entry(1);
  entry.key = TuningKey::of(problem, "cuda");
  entry.shape = TuningShape::of(problem);
  return entry;
}

TEST(EntryJob, EveryShippedCaseIsMadeAgainFromItsEntry) {
  std::size_t made = 0;
  const Result<std::vector<measure::Case>> shipped = measure::shipped_cases();
  for (const measure::Case& workload : shipped.value()) {
    const Result<NormDesc> desc = to_desc(workload);
    if (!desc.ok()) continue;
    const TuningEntry entry = entry_of(Problem::create(desc.value()).value());
    const Result<Job> job = job_of(entry);
    ASSERT_TRUE(job.ok()) << workload.name << ": " << job.status().message();
    const TuningEntry again = entry_of(job.value().problem);
    EXPECT_TRUE(again.key == entry.key) << workload.name;
    EXPECT_TRUE(again.shape == entry.shape) << workload.name;
    EXPECT_EQ(job.value().problem.moved_bytes(),
              Problem::create(desc.value()).value().moved_bytes())
        << workload.name;
    ++made;
  }
  EXPECT_GT(made, 50U);
}

TEST(EntryJob, EveryShippedEntryIsMeasuredByACase) {
  for (const ShippedTuningFile& shipped : shipped_tuning_files()) {
    const Result<ParsedTuningFile> parsed = parse_tuning_yaml(shipped.text, shipped.name);
    ASSERT_TRUE(parsed.ok()) << parsed.status().message();
    EXPECT_FALSE(parsed.value().file.entries.empty()) << shipped.name;
    for (const TuningEntry& entry : parsed.value().file.entries) {
      const Result<Job> job = job_of(entry);
      EXPECT_TRUE(job.ok()) << title(entry) << ": " << job.status().message();
    }
  }
}

TEST(EntryJob, AnEntryThatNoCallFindsIsRefused) {
  TuningEntry entry = test::sample_entry(1, 64, 64, 1);
  entry.key.layout = Layout::channels_last;
  EXPECT_FALSE(job_of(entry).ok()) << "without positions, there is one layout";
}

}  // namespace
}  // namespace fastnorm::tuner
