// SPDX-License-Identifier: Apache-2.0
/// The search over candidates whose times and faults a test decides.
#include "tuner/search.hpp"

#include "tuner/listed_variant.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace fastnorm::tuner {
namespace {

using test::ListedVariant;
using test::NumberedConfig;

/// What the fake knows of one candidate.
struct Nature {
  double us = 100;
  double us_at_first = 0;  ///< In its first measurement; 0: the same.
  double scatter_us = 0;   ///< How far samples lie from their median, on both sides.
  int right_runs = -1;     ///< Verifications that succeed before one fails; -1: all.
  std::string wrong_in_place;
  std::string timing_error;
  std::size_t good_samples = 0;  ///< That are taken before the error; 0: none.
};

class FakeEvaluator final : public Evaluator {
 public:
  std::map<std::string, Nature> natures;
  std::string lost_after;           ///< The device is gone once this candidate has been verified.
  std::size_t slower_after = 1000;  ///< Verifications until the clock is a tenth slower.
  double drift = 0;                 ///< By how much each measurement slows the clock down.

  std::vector<std::string> verified;  ///< In order, with repetitions.
  std::map<std::string, std::size_t> samples_taken;
  std::string timed_unverified;

  Status verify(const Contender& contender) override {
    const std::string text = contender.text();
    verified.push_back(text);
    if (text == lost_after) lost_ = true;
    if (lost_) return {StatusCode::device_error, "an illegal access"};
    Nature& nature = natures[text];
    if (nature.right_runs == 0) return {StatusCode::device_error, "wrong result"};
    if (nature.right_runs > 0) --nature.right_runs;
    return {};
  }

  Status verify_in_place(const Contender& contender) override {
    const std::string& reason = natures[contender.text()].wrong_in_place;
    return reason.empty() ? Status{} : Status(StatusCode::device_error, reason);
  }

  Result<std::vector<double>> time(const Contender& contender,
                                   const measure::SampleLimits& limits) override {
    const std::string text = contender.text();
    if (std::find(verified.begin(), verified.end(), text) == verified.end())
      timed_unverified = text;
    const Nature& nature = natures[text];
    std::size_t& taken = samples_taken[text];
    if (!nature.timing_error.empty() && taken >= nature.good_samples)
      return Status(StatusCode::device_error, nature.timing_error);
    // What the search takes of one candidate before the final.
    constexpr std::size_t first_measurement = 7;
    const bool first = taken < first_measurement && nature.us_at_first > 0;
    taken += static_cast<std::size_t>(limits.at_least);
    std::vector<double> samples(static_cast<std::size_t>(limits.at_least),
                                first ? nature.us_at_first : nature.us);
    if (verified.size() > slower_after) {
      for (double& us : samples) us *= 1.1;
    }
    slowness_ += drift;
    for (double& us : samples) us *= slowness_;
    for (std::size_t i = 1; i < samples.size(); ++i) {
      samples[i] += i % 2 == 0 ? nature.scatter_us : -nature.scatter_us;
    }
    return samples;
  }

  Status health() override {
    return lost_ ? Status(StatusCode::device_error, "the device is lost") : Status{};
  }

 private:
  bool lost_ = false;
  double slowness_ = 1;
};

class SearchTest : public ::testing::Test {
 protected:
  SearchTest() { atomic_.repeatable = false; }

  Contender steady(int number) const { return {&steady_, ListedVariant::config(number)}; }
  Contender atomic(int number) const { return {&atomic_, ListedVariant::config(number)}; }

  Nature& nature(const Contender& contender) { return evaluator_.natures[contender.text()]; }

  /// The first one is the default; the deterministic default is the first deterministic one.
  SearchSpace space(std::vector<Contender> contenders) const {
    SearchSpace space;
    space.contenders = std::move(contenders);
    while (!space.contenders[space.deterministic_default_index].deterministic()) {
      ++space.deterministic_default_index;
    }
    space.estimates_us.assign(space.contenders.size(), 100);
    space.proposed = space.deterministic_default_index + 1;
    return space;
  }

  Result<Outcome> search_all(const std::vector<Contender>& contenders) {
    return search(space(contenders), evaluator_, {SearchMethod::exhaustive}, Allowance::unlimited(),
                  control_);
  }

  ListedVariant steady_{"steady", {}};
  ListedVariant atomic_{"atomic", {}};
  ListedVariant waiting_{"waiting", {}};
  FakeEvaluator evaluator_;
  SearchControl control_;
};

TEST_F(SearchTest, TheFastestWins) {
  nature(steady(2)).us = 80;
  nature(steady(3)).us = 90;
  const Result<Outcome> outcome = search_all({steady(0), steady(1), steady(2), steady(3)});
  ASSERT_TRUE(outcome.ok()) << outcome.status().message();
  const Choice& best = outcome.value().best;
  EXPECT_EQ(best.winner.contender.text(), "steady number=2");
  EXPECT_EQ(best.winner.time.median_us, 80);
  EXPECT_GE(best.winner.time.samples, 9);
  EXPECT_EQ(best.default_choice.contender.text(), "steady number=0");
  EXPECT_EQ(best.default_choice.time.median_us, 100);
  EXPECT_EQ(outcome.value().evaluated, 4u);
  EXPECT_FALSE(outcome.value().best_deterministic);
  EXPECT_TRUE(outcome.value().rejected.empty());
}

TEST_F(SearchTest, NothingIsTimedBeforeItIsVerified) {
  ASSERT_TRUE(search_all({steady(0), steady(1), steady(2)}).ok());
  EXPECT_EQ(evaluator_.timed_unverified, "");
}

TEST_F(SearchTest, AWrongCandidateNeverWinsHoweverFast) {
  nature(steady(1)).us = 10;
  nature(steady(1)).right_runs = 0;
  nature(steady(2)).us = 90;
  const Result<Outcome> outcome = search_all({steady(0), steady(1), steady(2)});
  ASSERT_TRUE(outcome.ok()) << outcome.status().message();
  EXPECT_EQ(outcome.value().best.winner.contender.text(), "steady number=2");
  ASSERT_EQ(outcome.value().rejected.size(), 1u);
  EXPECT_EQ(outcome.value().rejected[0].contender.text(), "steady number=1");
  EXPECT_EQ(outcome.value().rejected[0].reason, "wrong result");
  EXPECT_EQ(evaluator_.samples_taken.count("steady number=1"), 0u) << "timed in spite of it";
}

TEST_F(SearchTest, ACandidateThatIsWrongOnlyLaterNeverWinsEither) {
  // After the first timing; at the last verification; in place.
  nature(steady(1)).us = 70;
  nature(steady(1)).right_runs = 1;
  nature(steady(2)).us = 72;
  nature(steady(2)).right_runs = 2;
  nature(steady(3)).us = 74;
  nature(steady(3)).wrong_in_place = "reads what it has written";
  nature(steady(4)).us = 90;
  const Result<Outcome> outcome =
      search_all({steady(0), steady(1), steady(2), steady(3), steady(4)});
  ASSERT_TRUE(outcome.ok()) << outcome.status().message();
  EXPECT_EQ(outcome.value().best.winner.contender.text(), "steady number=4");
  EXPECT_EQ(outcome.value().rejected.size(), 3u);
  EXPECT_EQ(outcome.value().rejected[2].reason, "in place: reads what it has written");
}

TEST_F(SearchTest, OnlyWhatMayWinIsVerifiedAgainAfterItsFirstMeasurement) {
  nature(steady(1)).us = 80;
  nature(steady(2)).us = 95;  // Neither a clear loser nor near the best.
  const Result<Outcome> outcome = search_all({steady(0), steady(1), steady(2)});
  ASSERT_TRUE(outcome.ok()) << outcome.status().message();
  const auto times_verified = [&](const char* text) {
    return std::count(evaluator_.verified.begin(), evaluator_.verified.end(), text);
  };
  EXPECT_EQ(times_verified("steady number=1"), 3);  // Once more as the winner.
  EXPECT_EQ(times_verified("steady number=2"), 1);
}

TEST_F(SearchTest, ACandidateThatCannotBeTimedIsSetAside) {
  nature(steady(1)).timing_error = "cannot be captured";
  const Result<Outcome> outcome = search_all({steady(0), steady(1)});
  ASSERT_TRUE(outcome.ok()) << outcome.status().message();
  EXPECT_EQ(outcome.value().rejected.size(), 1u);
}

TEST_F(SearchTest, AFinalistThatCrashesCostsNothingButItself) {
  nature(steady(1)).us = 70;
  nature(steady(1)).timing_error = "the process was killed by SIGSEGV";
  nature(steady(2)).us = 90;
  for (const std::size_t good_samples : {7, 10, 13}) {  // before the final; after 1 round, and 2
    nature(steady(1)).good_samples = good_samples;
    evaluator_.samples_taken.clear();
    const Result<Outcome> outcome = search_all({steady(0), steady(1), steady(2)});
    ASSERT_TRUE(outcome.ok()) << outcome.status().message();
    EXPECT_EQ(outcome.value().best.winner.contender.text(), "steady number=2");
    ASSERT_EQ(outcome.value().rejected.size(), 1u);
    EXPECT_EQ(outcome.value().rejected[0].contender.text(), "steady number=1");
    EXPECT_EQ(outcome.value().rejected[0].reason,
              "in the final: the process was killed by SIGSEGV");
  }
}

TEST_F(SearchTest, ADefaultThatCrashesInTheFinalIsAFailure) {
  nature(steady(0)).timing_error = "the process was killed by SIGSEGV";
  nature(steady(0)).good_samples = 7;
  const Result<Outcome> outcome = search_all({steady(0), steady(1)});
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.status().message(),
            "the default, steady number=0: in the final: the process was killed by SIGSEGV");
}

TEST_F(SearchTest, ALeaderThatCrashesWhenTimedAnewCostsNothingButItself) {
  std::vector<Contender> contenders;
  for (int number = 0; number < 40; ++number) contenders.push_back(steady(number));
  nature(steady(1)).us = 70;
  nature(steady(1)).timing_error = "did not end within 21.3 s";
  nature(steady(1)).good_samples = 7;
  nature(steady(2)).us = 90;
  const Result<Outcome> outcome = search_all(contenders);
  ASSERT_TRUE(outcome.ok()) << outcome.status().message();
  EXPECT_EQ(outcome.value().best.winner.contender.text(), "steady number=2");
  ASSERT_EQ(outcome.value().rejected.size(), 1u);
  EXPECT_EQ(outcome.value().rejected[0].reason, "did not end within 21.3 s");
  EXPECT_EQ(outcome.value().evaluated, 40u);
}

TEST_F(SearchTest, TheDefaultIsStoredWhereNothingBeatsIt) {
  const Result<Outcome> outcome = search_all({steady(0), steady(1), steady(2)});
  ASSERT_TRUE(outcome.ok()) << outcome.status().message();
  EXPECT_EQ(outcome.value().best.winner.contender.text(), "steady number=0") << "of equal ones";
}

TEST_F(SearchTest, AGainWithinTheNoiseIsNone) {
  nature(steady(0)).scatter_us = 3;
  nature(steady(1)).us = 99;
  EXPECT_EQ(search_all({steady(0), steady(1)}).value().best.winner.contender.text(),
            steady(0).text());
  nature(steady(1)).us = 96;
  EXPECT_EQ(search_all({steady(0), steady(1)}).value().best.winner.contender.text(),
            steady(1).text());
}

TEST_F(SearchTest, AGainTooSmallToMatterIsNone) {
  nature(steady(1)).us = 99.6;
  EXPECT_EQ(search_all({steady(0), steady(1)}).value().best.winner.contender.text(),
            steady(0).text());
}

TEST_F(SearchTest, AWinnerOfTheFirstMeasurementOnlyIsNone) {
  nature(steady(1)).us_at_first = 50;
  nature(steady(1)).us = 101;
  const Result<Outcome> outcome = search_all({steady(0), steady(1)});
  ASSERT_TRUE(outcome.ok()) << outcome.status().message();
  EXPECT_EQ(outcome.value().best.winner.contender.text(), "steady number=0");
}

TEST_F(SearchTest, TheBestDeterministicOneIsKeptBesideAWinnerThatIsNot) {
  nature(atomic(1)).us = 60;
  nature(atomic(2)).us = 61;
  nature(atomic(3)).us = 62;
  nature(atomic(4)).us = 63;
  nature(atomic(5)).us = 64;
  nature(steady(1)).us = 90;
  nature(steady(2)).us = 95;
  const Result<Outcome> outcome = search_all({atomic(0), steady(0), steady(1), steady(2), atomic(1),
                                              atomic(2), atomic(3), atomic(4), atomic(5)});
  ASSERT_TRUE(outcome.ok()) << outcome.status().message();
  EXPECT_EQ(outcome.value().best.winner.contender.text(), "atomic number=1");
  EXPECT_EQ(outcome.value().best.default_choice.contender.text(), "atomic number=0");
  ASSERT_TRUE(outcome.value().best_deterministic);
  EXPECT_EQ(outcome.value().best_deterministic->winner.contender.text(), "steady number=1");
  EXPECT_EQ(outcome.value().best_deterministic->default_choice.contender.text(), "steady number=0");
}

TEST_F(SearchTest, AClearLoserIsDroppedAfterAFewSamples) {
  nature(steady(1)).us = 1000;
  nature(steady(2)).us = 103;
  nature(steady(3)).us = 99;
  std::vector<Contender> contenders = {steady(0), steady(1), steady(2), steady(3)};
  for (int number = 4; number < 10; ++number) contenders.push_back(steady(number));
  ASSERT_TRUE(search_all(contenders).ok());
  EXPECT_EQ(evaluator_.samples_taken["steady number=1"], 3u);
  EXPECT_EQ(evaluator_.samples_taken["steady number=2"], 3u + 9u) << "and the final, near as it is";
  EXPECT_GT(evaluator_.samples_taken["steady number=3"], 3u + 9u);
}

TEST_F(SearchTest, AClockThatDriftsMakesNoClearLosers) {
  // From the 40th candidate on, everything takes a tenth longer, and the last one is the fastest.
  std::vector<Contender> contenders;
  for (int number = 0; number < 100; ++number) contenders.push_back(steady(number));
  evaluator_.slower_after = 40;
  nature(contenders.back()).us = 97;
  const Result<Outcome> outcome = search_all(contenders);
  ASSERT_TRUE(outcome.ok()) << outcome.status().message();
  EXPECT_EQ(outcome.value().best.winner.contender.text(), contenders.back().text());
}

// The default drops out of the final early, the others go on, and by the end all of their times are
// longer than the default's were.
TEST_F(SearchTest, AClockThatDriftsInTheFinalMakesNoWinnerOfWhatDroppedOut) {
  evaluator_.drift = 0.004;
  for (int number = 1; number < 4; ++number) nature(steady(number)).us = 96;
  const Result<Outcome> outcome = search_all({steady(0), steady(1), steady(2), steady(3)});
  ASSERT_TRUE(outcome.ok()) << outcome.status().message();
  ASSERT_LT(evaluator_.samples_taken["steady number=0"],
            evaluator_.samples_taken["steady number=1"]);
  EXPECT_NE(outcome.value().best.winner.contender.text(), steady(0).text());
}

TEST_F(SearchTest, WhatRepeatsIsNoLoserBesideAFasterOneThatDoesNot) {
  nature(atomic(1)).us = 50;
  nature(steady(1)).us = 90;
  const Result<Outcome> outcome =
      search_all({atomic(0), steady(0), atomic(1), steady(1), steady(2)});
  ASSERT_TRUE(outcome.ok()) << outcome.status().message();
  EXPECT_EQ(outcome.value().best_deterministic->winner.contender.text(), "steady number=1");
}

TEST_F(SearchTest, OfEquallyFastOnesTheOneThatRepeatsWins) {
  for (const Contender& contender : {atomic(1), atomic(2), steady(1), steady(2)}) {
    nature(contender).us = 80;
    nature(contender).scatter_us = 1;
  }
  nature(atomic(1)).us = 79.8;
  const Result<Outcome> outcome =
      search_all({steady(0), atomic(1), atomic(2), steady(1), steady(2)});
  ASSERT_TRUE(outcome.ok()) << outcome.status().message();
  EXPECT_EQ(outcome.value().best.winner.contender.text(), "steady number=1");
  EXPECT_FALSE(outcome.value().best_deterministic);
}

TEST_F(SearchTest, OfEquallyFastOnesTheOneWithoutWaitingBlocksWins) {
  waiting_.waits = true;
  const Contender waiting{&waiting_, ListedVariant::config(0)};
  nature(waiting).us = 80;
  nature(steady(1)).us = 80;
  const Result<Outcome> outcome = search_all({steady(0), waiting, steady(1)});
  ASSERT_TRUE(outcome.ok()) << outcome.status().message();
  EXPECT_EQ(outcome.value().best.winner.contender.text(), "steady number=1");
}

TEST_F(SearchTest, AFasterOneWinsHoweverComplicated) {
  waiting_.waits = true;
  const Contender waiting{&waiting_, ListedVariant::config(0)};
  nature(waiting).us = 79;
  nature(steady(1)).us = 80;
  const Result<Outcome> outcome = search_all({steady(0), waiting, steady(1)});
  ASSERT_TRUE(outcome.ok()) << outcome.status().message();
  EXPECT_EQ(outcome.value().best.winner.contender.text(), "waiting number=0");
}

TEST_F(SearchTest, AGuidedSearchEndsByItself) {
  std::vector<Contender> contenders;
  for (int number = 0; number < 400; ++number) contenders.push_back(steady(number));
  const Result<Outcome> outcome =
      search(space(contenders), evaluator_, {}, Allowance::unlimited(), control_);
  ASSERT_TRUE(outcome.ok()) << outcome.status().message();
  EXPECT_LT(outcome.value().evaluated, 200u);
}

TEST_F(SearchTest, ASeedDecidesWhatARandomSearchTries) {
  std::vector<Contender> contenders;
  for (int number = 0; number < 100; ++number) contenders.push_back(steady(number));
  const auto tried = [&](std::uint64_t seed) {
    evaluator_.verified.clear();
    EXPECT_TRUE(search(space(contenders), evaluator_, {SearchMethod::random, seed},
                       Allowance::evaluations(20), control_)
                    .ok());
    return evaluator_.verified;
  };
  const std::vector<std::string> first = tried(1);
  EXPECT_EQ(first.front(), "steady number=0") << "the default";
  EXPECT_EQ(first, tried(1));
  EXPECT_NE(first, tried(2));
}

TEST_F(SearchTest, TheAllowanceEndsTheSearchButNotBeforeTheDefaults) {
  nature(steady(2)).us = 10;
  const Result<Outcome> outcome = search(space({atomic(0), steady(0), steady(1), steady(2)}),
                                         evaluator_, {}, Allowance::evaluations(1), control_);
  ASSERT_TRUE(outcome.ok()) << outcome.status().message();
  EXPECT_EQ(outcome.value().evaluated, 2u);
  EXPECT_EQ(outcome.value().best.winner.contender.text(), "atomic number=0");
  EXPECT_EQ(outcome.value().best_deterministic->winner.contender.text(), "steady number=0");
}

TEST_F(SearchTest, AWrongDefaultIsAFailure) {
  nature(steady(0)).right_runs = 0;
  const Result<Outcome> outcome = search_all({steady(0), steady(1)});
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.status().message(), "the default, steady number=0: wrong result");
}

TEST_F(SearchTest, WhereNothingCanBeEvaluatedAnyMoreItEndsAndBlamesNoCandidate) {
  evaluator_.lost_after = "steady number=1";
  const Result<Outcome> outcome = search_all({steady(0), steady(1), steady(2)});
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.status().message(), "the device is lost");
  EXPECT_EQ(evaluator_.verified.back(), "steady number=1");
}

TEST_F(SearchTest, AnInterruptEndsItAfterTheCurrentEvaluation) {
  control_.interrupted = [&] { return evaluator_.verified.size() >= 3; };
  const Result<Outcome> outcome =
      search_all({steady(0), steady(1), steady(2), steady(3), steady(4)});
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.status().code(), StatusCode::unavailable);
  EXPECT_EQ(evaluator_.verified.back(), "steady number=1") << "both of its verifications";
}

TEST_F(SearchTest, ProgressCountsTheEvaluated) {
  std::vector<std::size_t> seen;
  control_.progress = [&](const SearchProgress& progress) {
    EXPECT_EQ(progress.total, 3u);
    if (progress.phase == SearchPhase::trials) seen.push_back(progress.evaluated);
  };
  ASSERT_TRUE(search_all({steady(0), steady(1), steady(2)}).ok());
  EXPECT_EQ(seen, (std::vector<std::size_t>{1, 2, 3}));
}

TEST_F(SearchTest, ProgressKnowsTheBestSoFarAndTheDefaultAndEndsInTheFinal) {
  nature(steady(0)).us = 100;
  nature(steady(1)).us = 80;
  std::vector<SearchProgress> seen;
  control_.progress = [&](const SearchProgress& progress) { seen.push_back(progress); };
  ASSERT_TRUE(search_all({steady(0), steady(1)}).ok());
  ASSERT_EQ(seen.size(), 3U);
  EXPECT_NEAR(seen[0].best_us, 100, 2);
  EXPECT_NEAR(seen[0].default_us, 100, 2);
  EXPECT_NEAR(seen[1].best_us, 80, 2);
  EXPECT_NEAR(seen[1].default_us, 100, 2);
  EXPECT_EQ(seen[1].phase, SearchPhase::trials);
  EXPECT_EQ(seen[2].phase, SearchPhase::final_round);
}

TEST_F(SearchTest, ProgressKnowsWhatIsUsedOfTheAllowance) {
  std::vector<Contender> contenders;
  for (int number = 0; number < 100; ++number) contenders.push_back(steady(number));
  RunClock clock;
  std::vector<double> seen;
  control_.progress = [&](const SearchProgress& progress) {
    seen.push_back(progress.share_of_allowance);
    clock.repeat(std::chrono::seconds(2));
  };
  ASSERT_TRUE(
      search(space(contenders), evaluator_, {}, Allowance::seconds(8, clock), control_).ok());
  EXPECT_EQ(seen, (std::vector<double>{0, 0.25, 0.5, 0.75, 1})) << "four trials and the final";
  seen.clear();
  ASSERT_TRUE(search(space(contenders), evaluator_, {}, Allowance::evaluations(2), control_).ok());
  EXPECT_EQ(seen, (std::vector<double>{search_share / 2, search_share, search_share}));
}

}  // namespace
}  // namespace fastnorm::tuner
