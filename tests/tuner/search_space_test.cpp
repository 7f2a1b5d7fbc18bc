#include "tuner/search_space.hpp"

#include "core/fake_backend.hpp"
#include "core/tuning_samples.hpp"
#include "support/shapes.hpp"
#include "tuner/listed_variant.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace fastnorm::tuner {
namespace {

using test::FakeBackend;
using test::ListedVariant;

Problem a_problem() { return Problem::create(test::group_norm_desc({2, 8, 16}, 4)).value(); }

SearchSpace space_of(const FakeBackend& backend, std::uint64_t seed = 1) {
  const Result<SearchSpace> space =
      make_search_space(a_problem(), {&backend, &backend.device_info()}, TuningDb(), seed);
  EXPECT_TRUE(space.ok()) << space.status().message();
  return space.value();
}

std::vector<std::string> texts(const SearchSpace& space) {
  std::vector<std::string> result;
  for (const Contender& contender : space.contenders) result.push_back(contender.text());
  return result;
}

TEST(SearchSpace, DefaultsComeFirstThenSmallEstimatesAndOneInFourStrategiesByTurns) {
  const ListedVariant slow("slow", {30, 20, 40});
  const ListedVariant fast("fast", {12, 11, 10, 13});
  const FakeBackend backend("fake", {&slow, &fast});
  const SearchSpace space = space_of(backend);
  EXPECT_EQ(texts(space), (std::vector<std::string>{
                              "fast number=2", "slow number=1", "fast number=1", "fast number=0",
                              "fast number=3", "slow number=0", "slow number=2"}));
  EXPECT_EQ(space.default_index, 0u);
  EXPECT_EQ(space.deterministic_default_index, 0u);
}

TEST(SearchSpace, AStrategyWhoseEstimatesAreLargeHasItsTurns) {
  const ListedVariant likely("likely", {1, 2, 3, 4, 5, 6, 7});
  const ListedVariant unlikely("unlikely", {100, 101, 102});
  const FakeBackend backend("fake", {&likely, &unlikely});
  const std::vector<std::string> order = texts(space_of(backend));
  EXPECT_EQ(order, (std::vector<std::string>{
                       "likely number=0", "unlikely number=0", "likely number=1", "likely number=2",
                       "likely number=3", "unlikely number=1", "likely number=4", "likely number=5",
                       "likely number=6", "unlikely number=2"}));
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

TEST(SearchSpace, WhatADatabaseKnowsIsTriedAfterTheDefaults) {
  const ListedVariant variant("variant", {1, 2, 3, 4, 5, 6, 7});
  const FakeBackend backend("fake", {&variant});
  const Problem problem = a_problem();
  TuningEntry entry;
  entry.key = TuningKey::of(problem, "fake");
  entry.key.deterministic = true;
  entry.shape = TuningShape::of(problem);
  entry.strategy = "variant";
  entry.config = ListedVariant::config(5).fields();
  TuningFile file = test::sample_file(backend.device_info());
  file.entries = {entry};
  const Candidate target{&backend, &backend.device_info()};
  const Result<SearchSpace> space = make_search_space(problem, target, TuningDb({file}), 1);
  ASSERT_TRUE(space.ok()) << space.status().message();
  EXPECT_EQ(texts(space.value()),
            (std::vector<std::string>{"variant number=0", "variant number=5", "variant number=1",
                                      "variant number=2", "variant number=3", "variant number=4",
                                      "variant number=6"}));
  EXPECT_EQ(space.value().default_index, 0u);
}

TEST(SearchSpace, StrategiesThatRefuseAreLeftOut) {
  ListedVariant refusing("refusing", {1, 2});
  refusing.refusal = "not today";
  const ListedVariant other("other", {3});
  const FakeBackend backend("fake", {&refusing, &other});
  EXPECT_EQ(texts(space_of(backend)), std::vector<std::string>{"other number=0"});
  const FakeBackend none("fake", {&refusing});
  EXPECT_FALSE(make_search_space(a_problem(), {&none, &none.device_info()}, TuningDb(), 1).ok());
}

TEST(SearchSpace, TheSeedOrdersEqualEstimatesAndNothingElse) {
  const ListedVariant flat("flat", std::vector<double>(50, 1.0));
  const FakeBackend backend("fake", {&flat});
  const auto first = texts(space_of(backend, 1));
  EXPECT_EQ(first, texts(space_of(backend, 1)));
  const auto second = texts(space_of(backend, 2));
  EXPECT_NE(first, second);
  EXPECT_EQ(first.front(), second.front());
  EXPECT_EQ(std::set<std::string>(first.begin(), first.end()),
            std::set<std::string>(second.begin(), second.end()));
  EXPECT_EQ(first.size(), 50u);
}

}  // namespace
}  // namespace fastnorm::tuner
