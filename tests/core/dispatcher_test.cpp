// SPDX-License-Identifier: Apache-2.0
#include "core/dispatcher.hpp"

#include "fake_backend.hpp"
#include "support/shapes.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fastnorm {
namespace {

using test::FakeBackend;
using test::FakeConfig;
using test::FakeVariant;

bool contains(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

class Dispatcher : public ::testing::Test {
 protected:
  FakeVariant slow_{"slow", 30};
  FakeVariant quick_{"quick", 10};
  FakeVariant quick_too_{"quick_too", 10};
  FakeBackend backend_{"fake-host", {&slow_, &quick_, &quick_too_}};
  FakeVariant other_variant_{"other", 1};
  FakeBackend other_backend_{"other-host", {&other_variant_}};
  Problem problem_ = Problem::create(test::group_norm_desc({2, 8, 64}, 4)).value();

  std::vector<Candidate> candidates() const {
    return {{&backend_, &backend_.device_info()}, {&other_backend_, &other_backend_.device_info()}};
  }

  Result<Selection> choose_with(const PlanOptions& options, const TuningDb& db = {},
                                const std::vector<Unprepared>& unprepared = {}) const {
    return choose(problem_, candidates(), db, options, unprepared);
  }

  static PlanOptions independent() {
    PlanOptions options;
    options.launches = Launches::independent_blocks;
    return options;
  }

  TuningEntry entry(const std::string& strategy, ConfigFields config, double median_us = 5) const {
    TuningEntry entry;
    entry.key.backend = "fake-host";
    entry.key.deterministic = true;
    entry.shape = TuningShape::of(problem_);
    entry.strategy = strategy;
    entry.config = std::move(config);
    entry.stats.median_us = median_us;
    return entry;
  }

  TuningDb database(std::vector<TuningEntry> entries) const {
    TuningFile file;
    file.device = DeviceKey::of(backend_.device_info());
    file.source = "test.yaml";
    file.entries = std::move(entries);
    return TuningDb({file});
  }
};

TEST_F(Dispatcher, TakesTheSmallestEstimateOfThePreferredBackEnd) {
  const Result<Selection> chosen = choose_with({});
  ASSERT_TRUE(chosen.ok()) << chosen.status().message();
  EXPECT_EQ(chosen.value().variant, &quick_);  // Before its equal, which comes later.
  EXPECT_EQ(chosen.value().candidate.backend, &backend_);
  EXPECT_EQ(chosen.value().origin, Origin::heuristic);
}

TEST_F(Dispatcher, PassesOverVariantsThatRefuse) {
  quick_.refusal = "no";
  EXPECT_EQ(choose_with({}).value().variant, &quick_too_);
  quick_too_.refusal = "no";
  EXPECT_EQ(choose_with({}).value().variant, &slow_);
  slow_.refusal = "no";
  EXPECT_EQ(choose_with({}).value().variant, &other_variant_);
  other_variant_.refusal = "no";
  const Result<Selection> none = choose_with({});
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.status().code(), StatusCode::unsupported);
}

TEST_F(Dispatcher, WhereAllRefuseTheirReasonsAreSaidOnceEach) {
  slow_.refusal = quick_.refusal = "rows too short";
  quick_too_.refusal = "rows too long";
  other_variant_.refusal = "rows too short";
  const Status status = choose_with({}).status();
  EXPECT_EQ(status.code(), StatusCode::unsupported);
  EXPECT_EQ(status.message(),
            "no strategy supports group_norm 2x8x64 groups=4 f32: "
            "fake-host: rows too short; fake-host: rows too long; "
            "other-host: rows too short");
  EXPECT_EQ(refusals(problem_, {candidates()[1]}), "other-host: rows too short");
  other_variant_.refusal.clear();
  EXPECT_EQ(refusals(problem_, candidates()), "") << "one supports it";
}

TEST_F(Dispatcher, WhereOnlyOthersRepeatThatIsTheReason) {
  for (FakeVariant* variant : {&slow_, &quick_, &quick_too_, &other_variant_}) {
    variant->repeatable = false;
  }
  PlanOptions options;
  options.deterministic = true;
  const Status status = choose_with(options).status();
  EXPECT_EQ(status.code(), StatusCode::unsupported);
  EXPECT_TRUE(contains(status.message(), "deterministic")) << status.message();
}

TEST_F(Dispatcher, DeterministicExcludesTheOthers) {
  quick_.repeatable = false;
  PlanOptions options;
  options.deterministic = true;
  EXPECT_EQ(choose_with(options).value().variant, &quick_too_);

  options.strategy = "quick";
  const Result<Selection> forced = choose_with(options);
  ASSERT_FALSE(forced.ok());
  EXPECT_EQ(forced.status().code(), StatusCode::unsupported);
  EXPECT_TRUE(contains(forced.status().message(), "deterministic")) << forced.status().message();
}

TEST_F(Dispatcher, ForcesABackEndByItsNameOrFamily) {
  PlanOptions options;
  for (const char* name : {"other", "other-host"}) {
    options.backend = name;
    EXPECT_EQ(choose_with(options).value().variant, &other_variant_) << name;
  }
  for (const char* name : {"othe", "other-device", "host", "OTHER"}) {
    options.backend = name;
    const Result<Selection> unknown = choose_with(options);
    ASSERT_FALSE(unknown.ok()) << name;
    EXPECT_EQ(unknown.status().code(), StatusCode::invalid_argument);
    EXPECT_TRUE(contains(unknown.status().message(), name)) << unknown.status().message();
  }
}

TEST_F(Dispatcher, ForcesAStrategyWithItsDefault) {
  PlanOptions options;
  options.strategy = "slow";
  const Selection chosen = choose_with(options).value();
  EXPECT_EQ(chosen.variant, &slow_);
  EXPECT_EQ(chosen.config, Config::of(FakeConfig{}));
  EXPECT_EQ(chosen.origin, Origin::forced);
}

TEST_F(Dispatcher, ForcesAStrategyWithAConfiguration) {
  PlanOptions options;
  options.strategy = "slow";
  options.config = "threads=64";
  EXPECT_EQ(choose_with(options).value().config, Config::of(FakeConfig{64}));
}

TEST_F(Dispatcher, FindsAForcedStrategyInALaterBackEnd) {
  PlanOptions options;
  options.strategy = "other";
  EXPECT_EQ(choose_with(options).value().candidate.backend, &other_backend_);
}

TEST_F(Dispatcher, RefusesWhatCannotBeForced) {
  PlanOptions options;
  options.strategy = "fastest";
  Status status = choose_with(options).status();
  EXPECT_EQ(status.code(), StatusCode::invalid_argument);
  EXPECT_TRUE(contains(status.message(), "fastest")) << status.message();
  EXPECT_TRUE(contains(status.message(), "slow, quick, quick_too, other")) << status.message();

  options.strategy = "slow";
  for (const char* config : {"threads", "threads=many", "threads=64,vec_width=4", "vec_width=4"}) {
    options.config = config;
    status = choose_with(options).status();
    EXPECT_EQ(status.code(), StatusCode::invalid_argument) << config;
  }

  options.config = "threads=4096";
  status = choose_with(options).status();
  EXPECT_EQ(status.code(), StatusCode::unsupported);
  EXPECT_TRUE(contains(status.message(), "too many threads")) << status.message();

  slow_.refusal = "rows too short";
  options.config.clear();
  status = choose_with(options).status();
  EXPECT_EQ(status.code(), StatusCode::unsupported);
  EXPECT_TRUE(contains(status.message(), "rows too short")) << status.message();
}

TEST_F(Dispatcher, RefusesAConfigurationWithoutAStrategy) {
  PlanOptions options;
  options.config = "threads=64";
  const Status status = choose_with(options).status();
  EXPECT_EQ(status.code(), StatusCode::invalid_argument);
  EXPECT_TRUE(contains(status.message(), "threads=64")) << status.message();
}

TEST_F(Dispatcher, TakesTheDatabaseBeforeTheHeuristic) {
  const TuningDb db = database({entry("slow", {{"threads", "64"}})});
  const Selection chosen = choose_with({}, db).value();
  EXPECT_EQ(chosen.variant, &slow_);
  EXPECT_EQ(chosen.config, Config::of(FakeConfig{64}));
  EXPECT_EQ(chosen.origin, Origin::exact);

  PlanOptions untuned;
  untuned.tuning = Tuning::heuristic;
  EXPECT_EQ(choose_with(untuned, db).value().variant, &quick_);
}

TEST_F(Dispatcher, ForcingComesBeforeTheDatabase) {
  const TuningDb db = database({entry("slow", {{"threads", "64"}})});
  PlanOptions options;
  options.strategy = "quick";
  EXPECT_EQ(choose_with(options, db).value().variant, &quick_);
}

// Entries of another version, of another chip, or written by hand: a suggestion is checked.
TEST_F(Dispatcher, PassesOverImpossibleEntriesWithTheirReason) {
  for (const TuningEntry& bad :
       {entry("warp_tiles", {{"threads", "64"}}), entry("slow", {{"threads", "2048"}}),
        entry("slow", {{"threads", "64"}, {"vec_width", "3"}}), entry("slow", {})}) {
    const Selection chosen = choose_with({}, database({bad})).value();
    EXPECT_EQ(chosen.variant, &quick_) << bad.strategy << " " << to_string(bad.config);
    EXPECT_EQ(chosen.origin, Origin::heuristic);
    EXPECT_TRUE(contains(chosen.reason, bad.strategy)) << chosen.reason;
  }
}

// What was the fastest on another shape may be slow on this one; in a bucket it hardly can be.
TEST_F(Dispatcher, NearEntriesThatPromiseTooLittleArePassedOver) {
  TuningEntry near = entry("slow", {{"threads", "64"}});
  near.shape.c += near.shape.groups;
  TuningEntry in_bucket = entry("slow", {{"threads", "64"}});
  in_bucket.shape.n *= 2;
  quick_.estimate = 10;
  for (const double estimate : {9.0, 10.0, 10.2}) {
    slow_.estimate = estimate;
    EXPECT_EQ(choose_with({}, database({near})).value().origin, Origin::nearest) << estimate;
  }
  slow_.estimate = 10.4;
  const Selection chosen = choose_with({}, database({near})).value();
  EXPECT_EQ(chosen.variant, &quick_);
  EXPECT_EQ(chosen.origin, Origin::heuristic);
  EXPECT_TRUE(contains(chosen.reason, "expected to take 1.04 times as long")) << chosen.reason;
  EXPECT_EQ(choose_with({}, database({near, in_bucket})).value().origin, Origin::bucket);
  EXPECT_EQ(choose_with({}, database({entry("slow", {{"threads", "64"}})})).value().origin,
            Origin::exact);
}

TEST_F(Dispatcher, EntriesOfANonRepeatableStrategyNeedLeave) {
  slow_.repeatable = false;
  TuningEntry atomic = entry("slow", {{"threads", "64"}});
  atomic.key.deterministic = false;
  const TuningDb db = database({atomic});
  EXPECT_EQ(choose_with({}, db).value().variant, &slow_);
  PlanOptions options;
  options.deterministic = true;
  EXPECT_EQ(choose_with(options, db).value().variant, &quick_);
}

TEST_F(Dispatcher, EntriesWhoseKeyContradictsTheirStrategyServeNoCall) {
  slow_.repeatable = false;
  TuningEntry too_modest = entry("quick_too", {{"threads", "64"}});
  too_modest.key.deterministic = false;
  const TuningDb db = database({entry("slow", {{"threads", "64"}}, 1), too_modest});
  for (const bool deterministic : {false, true}) {
    PlanOptions options;
    options.deterministic = deterministic;
    const Selection chosen = choose_with(options, db).value();
    EXPECT_EQ(chosen.origin, Origin::heuristic);
    ASSERT_EQ(chosen.passed_over.size(), deterministic ? 1U : 2U);
    EXPECT_TRUE(
        contains(chosen.passed_over[0].reason, "key says deterministic: true, but slow is not"))
        << chosen.passed_over[0].reason;
  }
}

TEST_F(Dispatcher, PassesOverTheUnpreparedAndSaysWhy) {
  std::vector<Unprepared> unprepared = {{&quick_, "no room"}};
  Selection chosen = choose_with({}, {}, unprepared).value();
  EXPECT_EQ(chosen.variant, &quick_too_);
  EXPECT_TRUE(contains(chosen.reason, "passed over: quick: no room")) << chosen.reason;

  unprepared.push_back({&quick_too_, "none here either"});
  chosen = choose_with({}, {}, unprepared).value();
  EXPECT_EQ(chosen.variant, &slow_);
  EXPECT_TRUE(contains(chosen.reason, "quick: no room; quick_too: none here either"))
      << chosen.reason;

  unprepared.push_back({&slow_, "no room"});
  EXPECT_EQ(choose_with({}, {}, unprepared).value().variant, &other_variant_);

  unprepared.push_back({&other_variant_, "no threads"});
  const Status none = choose_with({}, {}, unprepared).status();
  EXPECT_EQ(none.code(), StatusCode::unsupported);
  EXPECT_TRUE(contains(none.message(),
                       "fake-host: no room; fake-host: none here either; other-host: no threads"))
      << none.message();
}

TEST_F(Dispatcher, EntriesOfTheUnpreparedArePassedOver) {
  const TuningDb db = database(
      {entry("slow", {{"threads", "64"}}, 5), entry("quick_too", {{"threads", "128"}}, 6)});
  const Selection chosen = choose_with({}, db, {{&slow_, "no room"}}).value();
  EXPECT_EQ(chosen.variant, &quick_too_);
  EXPECT_EQ(chosen.config, Config::of(FakeConfig{128}));
  EXPECT_EQ(chosen.origin, Origin::exact);
  EXPECT_TRUE(contains(chosen.reason, "passed over: slow: no room")) << chosen.reason;
  EXPECT_EQ(chosen.reason.find("no room"), chosen.reason.rfind("no room")) << chosen.reason;
}

TEST_F(Dispatcher, TheHeuristicKnowsWhatTheCallerExcludes) {
  for (FakeVariant* variant : {&quick_, &quick_too_}) {
    variant->threads = {512};
    variant->max_independent_threads = 256;
  }
  EXPECT_EQ(choose_with({}).value().variant, &quick_);
  EXPECT_EQ(choose_with(independent()).value().variant, &slow_);

  // Its default is excluded, another configuration is not.
  quick_.threads = {512, 1024, 128};
  const Selection chosen = choose_with(independent()).value();
  EXPECT_EQ(chosen.variant, &quick_);
  EXPECT_EQ(chosen.config, Config::of(FakeConfig{128}));
}

TEST_F(Dispatcher, EntriesThatTheCallerExcludesArePassedOver) {
  slow_.max_independent_threads = 256;
  const TuningDb db = database({entry("slow", {{"threads", "512"}}, 5)});
  EXPECT_EQ(choose_with({}, db).value().variant, &slow_);
  const Selection chosen = choose_with(independent(), db).value();
  EXPECT_EQ(chosen.variant, &quick_);
  EXPECT_EQ(chosen.origin, Origin::heuristic);
  EXPECT_TRUE(contains(chosen.reason, "independent_blocks")) << chosen.reason;
  EXPECT_EQ(choose_with(independent(), database({entry("slow", {{"threads", "256"}}, 5)}))
                .value()
                .variant,
            &slow_);
}

TEST_F(Dispatcher, WhatTheCallerExcludesCannotBeForced) {
  slow_.threads = {512};
  slow_.max_independent_threads = 256;
  PlanOptions options = independent();
  options.strategy = "slow";
  for (const char* config : {"", "threads=512"}) {
    options.config = config;
    const Status status = choose_with(options).status();
    EXPECT_EQ(status.code(), StatusCode::unsupported) << config;
    EXPECT_TRUE(contains(status.message(), "independent_blocks")) << status.message();
  }
  options.config = "threads=256";
  EXPECT_EQ(choose_with(options).value().config, Config::of(FakeConfig{256}));
  slow_.threads = {512, 128};
  options.config.clear();
  EXPECT_EQ(choose_with(options).value().config, Config::of(FakeConfig{128}));
}

TEST_F(Dispatcher, WhereTheCallerExcludesAllThatIsTheReason) {
  for (FakeVariant* variant : {&slow_, &quick_, &quick_too_, &other_variant_}) {
    variant->max_independent_threads = 0;
  }
  const Status status = choose_with(independent()).status();
  EXPECT_EQ(status.code(), StatusCode::unsupported);
  EXPECT_TRUE(contains(status.message(), "independent_blocks")) << status.message();
  EXPECT_EQ(refusals(problem_, candidates()), "") << "only the options exclude them";
}

TEST(Origin, HasTheWordsOfTheDocumentation) {
  EXPECT_STREQ(to_string(Origin::forced), "forced");
  EXPECT_STREQ(to_string(Origin::exact), "exact");
  EXPECT_STREQ(to_string(Origin::bucket), "bucket");
  EXPECT_STREQ(to_string(Origin::nearest), "nearest");
  EXPECT_STREQ(to_string(Origin::same_arch), "same_arch");
  EXPECT_STREQ(to_string(Origin::heuristic), "heuristic");
}

}  // namespace
}  // namespace fastnorm
