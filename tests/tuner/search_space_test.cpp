// SPDX-License-Identifier: Apache-2.0
#include "tuner/search_space.hpp"

#include "core/fake_backend.hpp"
#include "core/tuning_samples.hpp"
#include "support/shapes.hpp"
#include "tuner/listed_variant.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace fastnorm::tuner {
namespace {

using test::FakeBackend;
using test::ListedVariant;

Problem a_problem() { return Problem::create(test::group_norm_desc({2, 8, 16}, 4)).value(); }

SearchSpace space_of(const FakeBackend& backend, const std::vector<TuningEntry>& known = {}) {
  TuningFile file = test::sample_file(backend.device_info());
  file.entries = known;
  const Candidate target{&backend, &backend.device_info()};
  const auto proposed = known_choices(a_problem(), target, TuningDb({file}));
  EXPECT_TRUE(proposed.ok()) << proposed.status().message();
  const Result<SearchSpace> space = make_search_space(a_problem(), target, proposed.value());
  EXPECT_TRUE(space.ok()) << space.status().message();
  return space.value();
}

std::vector<std::string> texts(const SearchSpace& space) {
  std::vector<std::string> result;
  for (const Contender& contender : space.contenders) result.push_back(contender.text());
  return result;
}

TEST(SearchSpace, ProposalsComeFirstThenAllOthersByTheirEstimates) {
  const ListedVariant slow("slow", {30, 20, 40});
  const ListedVariant fast("fast", {12, 11, 10, 25});
  const FakeBackend backend("fake", {&slow, &fast});
  const SearchSpace space = space_of(backend);
  EXPECT_EQ(texts(space), (std::vector<std::string>{
                              "fast number=2", "slow number=1", "fast number=1", "fast number=0",
                              "fast number=3", "slow number=0", "slow number=2"}));
  EXPECT_EQ(space.estimates_us, (std::vector<double>{10, 20, 11, 12, 25, 30, 40}));
  EXPECT_EQ(space.proposed, 2u) << "the strategies' defaults";
  EXPECT_EQ(space.default_index, 0u);
  EXPECT_EQ(space.deterministic_default_index, 0u);
}

TEST(SearchSpace, TheDeterministicDefaultIsNamedWhereItIsAnother) {
  ListedVariant atomic("atomic", {5});
  atomic.repeatable = false;
  const ListedVariant steady("steady", {9, 8});
  const FakeBackend backend("fake", {&steady, &atomic});
  const SearchSpace space = space_of(backend);
  EXPECT_EQ(space.contenders[space.default_index].text(), "atomic number=0");
  EXPECT_EQ(space.contenders[space.deterministic_default_index].text(), "steady number=1");
}

/// Configurations that a small estimate, or a database, brings to the front.
const std::vector<double> one_to_seven = {1, 2, 3, 4, 5, 6, 7};

/// That this configuration of "variant" was the fastest for a shape like the problem's with `n`
/// samples: two are the problem's own.
TuningEntry entry_of(std::int64_t n, int number) {
  const Problem problem = a_problem();
  TuningEntry entry;
  entry.key = TuningKey::of(problem, "fake");
  entry.key.deterministic = true;
  entry.shape = TuningShape::of(problem);
  entry.shape.n = n;
  entry.strategy = "variant";
  entry.config = ListedVariant::config(number).fields();
  return entry;
}

/// The order in which "variant" is tried by one who knows these entries.
std::vector<std::string> order_with(const std::vector<TuningEntry>& entries) {
  const ListedVariant variant("variant", one_to_seven);
  const FakeBackend backend("fake", {&variant});
  const SearchSpace space = space_of(backend, entries);
  EXPECT_EQ(space.default_index, 0u);
  return texts(space);
}

/// All of "variant", these first and the others by their estimates.
std::vector<std::string> numbers_first(std::vector<int> numbers) {
  for (int number = 0; number < static_cast<int>(one_to_seven.size()); ++number) {
    const bool is_named = std::find(numbers.begin(), numbers.end(), number) != numbers.end();
    if (!is_named) numbers.push_back(number);
  }
  std::vector<std::string> order;
  for (const int number : numbers) order.push_back("variant number=" + std::to_string(number));
  return order;
}

TEST(SearchSpace, WhatADatabaseKnowsIsTriedAfterTheDefaults) {
  EXPECT_EQ(order_with({entry_of(2, 5)}), numbers_first({0, 5}));
}

// A case's winner is often its neighbour's, too.
TEST(SearchSpace, WhatADatabaseKnowsOfASimilarShapeIsTriedAfterTheDefaults) {
  EXPECT_EQ(order_with({entry_of(3, 5)}), numbers_first({0, 5}));
}

TEST(SearchSpace, OfSimilarShapesTheNearestIsTriedFirst) {
  EXPECT_EQ(order_with({entry_of(4, 6), entry_of(3, 5)}), numbers_first({0, 5}));
}

TEST(SearchSpace, TheShapeItselfIsNearerThanSimilarOnes) {
  EXPECT_EQ(order_with({entry_of(3, 5), entry_of(2, 6)}), numbers_first({0, 6}));
}

TEST(SearchSpace, WhatADatabaseKnowsOfAnotherShapeIsNotTriedFirst) {
  EXPECT_EQ(order_with({entry_of(20, 5)}), numbers_first({0}));
}

// Two winners of one shape: the fastest, and the fastest whose results repeat bit for bit.
TEST(SearchSpace, TheSimilarShapesRepeatableEntryIsTriedBesideItsFastest) {
  ListedVariant atomic("atomic", {8, 9});
  atomic.repeatable = false;
  const ListedVariant variant("variant", one_to_seven);
  const FakeBackend backend("fake", {&variant, &atomic});
  TuningEntry fastest = entry_of(3, 1);
  fastest.strategy = "atomic";
  fastest.key.deterministic = false;
  fastest.stats.median_us = 1;
  TuningEntry repeatable = entry_of(3, 5);
  repeatable.stats.median_us = 2;
  const std::vector<std::string> order = texts(space_of(backend, {repeatable, fastest}));
  ASSERT_GE(order.size(), 3u);
  EXPECT_EQ(order[0], "variant number=0");
  EXPECT_EQ(order[1], "atomic number=1");
  EXPECT_EQ(order[2], "variant number=5");
}

TEST(SearchSpace, StrategiesThatRefuseAreLeftOut) {
  ListedVariant refusing("refusing", {1, 2});
  refusing.refusal = "not today";
  const ListedVariant other("other", {3});
  const FakeBackend backend("fake", {&refusing, &other});
  EXPECT_EQ(texts(space_of(backend)), std::vector<std::string>{"other number=0"});
  const FakeBackend none("fake", {&refusing});
  const Candidate target{&none, &none.device_info()};
  EXPECT_FALSE(make_search_space(a_problem(), target, {}).ok());
  EXPECT_FALSE(known_choices(a_problem(), target, TuningDb()).ok());
}

TEST(Contender, IsReadBackFromItsText) {
  const ListedVariant listed("listed", {1, 2});
  const FakeBackend backend("fake", {&listed});
  const Contender contender{&listed, ListedVariant::config(1)};
  const Result<Contender> read = Contender::parse(contender.text(), backend);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read.value().variant, &listed);
  EXPECT_EQ(read.value().config, contender.config);
  for (const char* wrong : {"", "listed", "other number=1", "listed number", "listed count=1"}) {
    EXPECT_FALSE(Contender::parse(wrong, backend).ok()) << wrong;
  }
}

}  // namespace
}  // namespace fastnorm::tuner
