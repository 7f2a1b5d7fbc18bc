// SPDX-License-Identifier: Apache-2.0
#include "tuner/trial_order.hpp"

#include "tuner/listed_variant.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace fastnorm::tuner {
namespace {

struct Knobs {
  int values[5] = {};
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    constexpr const char* names[] = {"a", "b", "c", "d", "e"};
    for (int i = 0; i < 5; ++i) visit(names[i], self.values[i]);
  }
};

class TrialOrderTest : public ::testing::Test {
 protected:
  /// Five knobs of three values; the estimate says nothing. The first two are proposals.
  TrialOrderTest() {
    for (std::size_t i = 0; i < count; ++i) {
      Knobs knobs;
      std::size_t digits = i;
      for (int& value : knobs.values) {
        value = static_cast<int>(digits % 3);
        digits /= 3;
      }
      space_.contenders.push_back({&grid_, Config::of(knobs)});
      space_.estimates_us.push_back(100);
    }
    space_.proposed = 2;
  }

  /// Those that the order names, `us` being the times.
  template <class Time>
  std::vector<std::size_t> take(SearchMethod method, std::size_t most, Time&& us,
                                std::uint64_t seed = 1) const {
    const std::unique_ptr<TrialOrder> order = make_trial_order(space_, method, seed);
    std::vector<std::size_t> taken;
    while (taken.size() < most) {
      const std::optional<std::size_t> index = order->next();
      if (!index) break;
      taken.push_back(*index);
      order->tell(*index, us(*index));
    }
    return taken;
  }

  /// The larger the values the faster, and no other is as fast as the last.
  double slope(std::size_t index) const {
    const Knobs* knobs = space_.contenders[index].config.get<Knobs>();
    double us = 100;
    for (const int value : knobs->values) us *= 1 - 0.03 * value;
    return us;
  }

  static double flat(std::size_t) { return 100; }

  static constexpr std::size_t count = 243;
  test::ListedVariant grid_{"grid", {}};
  SearchSpace space_;
};

TEST_F(TrialOrderTest, ProposalsComeFirstAndNobodyTwice) {
  for (const SearchMethod method : all_search_methods) {
    std::vector<std::size_t> taken = take(method, 1000, flat);
    EXPECT_EQ(taken[0], 0u);
    EXPECT_EQ(taken[1], 1u);
    std::sort(taken.begin(), taken.end());
    EXPECT_EQ(std::adjacent_find(taken.begin(), taken.end()), taken.end()) << to_string(method);
  }
}

TEST_F(TrialOrderTest, ExhaustiveAndRandomLeaveNobodyOut) {
  EXPECT_EQ(take(SearchMethod::exhaustive, 1000, flat).size(), count);
  EXPECT_EQ(take(SearchMethod::random, 1000, flat).size(), count);
}

TEST_F(TrialOrderTest, SeedsHaveOrdersOfTheirOwn) {
  for (const SearchMethod method : {SearchMethod::random, SearchMethod::guided}) {
    const auto first = take(method, 40, flat, 1);
    EXPECT_EQ(first, take(method, 40, flat, 1));
    EXPECT_NE(first, take(method, 40, flat, 2));
  }
  EXPECT_EQ(take(SearchMethod::exhaustive, 1000, flat, 1),
            take(SearchMethod::exhaustive, 1000, flat, 2));
}

TEST_F(TrialOrderTest, AGuidedOneFollowsASlopeToItsFoot) {
  const auto taken =
      take(SearchMethod::guided, count / 5, [this](std::size_t index) { return slope(index); });
  EXPECT_NE(std::find(taken.begin(), taken.end(), count - 1), taken.end());
}

TEST_F(TrialOrderTest, AGuidedOneEndsWhereNothingIsToBeGained) {
  const auto taken =
      take(SearchMethod::guided, 1000, [this](std::size_t index) { return slope(index); });
  EXPECT_LT(taken.size(), count);
}

TEST_F(TrialOrderTest, AGuidedOneLooksWhereTheModelExpectsNothing) {
  // A single fast one, which no other is like, in a strategy that is expected to be slow.
  test::ListedVariant hidden("hidden", {});
  for (int number = 0; number < 9; ++number) {
    space_.contenders.push_back({&hidden, test::ListedVariant::config(number)});
    space_.estimates_us.push_back(1000);
  }
  const auto taken = take(SearchMethod::guided, 200,
                          [](std::size_t index) { return 100 + static_cast<double>(index % 7); });
  EXPECT_TRUE(
      std::any_of(taken.begin(), taken.end(), [](std::size_t index) { return index >= count; }));
}

TEST_F(TrialOrderTest, AGuidedOneTriesWholeStrategiesThatAreFewAndNearlyAsFast) {
  constexpr int few = 8;
  test::ListedVariant near("near", {});
  test::ListedVariant slow("slow", {});
  for (test::ListedVariant* strategy : {&near, &slow}) {
    for (int number = 0; number < few; ++number) {
      space_.contenders.push_back({strategy, test::ListedVariant::config(number)});
      space_.estimates_us.push_back(150);
    }
  }
  // A proposal of each is among the first.
  std::swap(space_.contenders[0], space_.contenders[count]);
  std::swap(space_.contenders[1], space_.contenders[count + few]);
  const auto us = [this](std::size_t index) {
    const std::string_view variant = space_.contenders[index].variant->name();
    if (variant == "near") return 110.0;
    return variant == "slow" ? 300.0 : slope(index);
  };
  const auto taken = take(SearchMethod::guided, 90, us);
  const auto tried = [&](const KernelVariant& strategy) {
    return std::count_if(taken.begin(), taken.end(), [&](std::size_t index) {
      return space_.contenders[index].variant == &strategy;
    });
  };
  EXPECT_EQ(tried(near), few);
  EXPECT_LT(tried(slow), few);
}

}  // namespace
}  // namespace fastnorm::tuner
