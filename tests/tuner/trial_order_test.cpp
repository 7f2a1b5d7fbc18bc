#include "tuner/trial_order.hpp"

#include "tuner/listed_variant.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <optional>
#include <vector>

namespace fastnorm::tuner {
namespace {

struct TwoKnobs {
  int a = 0;
  int b = 0;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("a", self.a);
    visit("b", self.b);
  }
};

class TrialOrderTest : public ::testing::Test {
 protected:
  /// Contender 10 a + b of one strategy, then one of another.
  TrialOrderTest() {
    for (int i = 0; i < 100; ++i) {
      contenders_.push_back({&grid_, Config::of(TwoKnobs{i / 10, i % 10})});
    }
    contenders_.push_back({&other_, Config::of(TwoKnobs{0, 0})});
  }

  /// The next so many; of each, `us` says how fast it is.
  template <class Time>
  std::vector<std::size_t> take(TrialOrder& order, std::size_t count, Time&& us) const {
    std::vector<std::size_t> taken;
    double best = 1e9;
    while (taken.size() < count) {
      const std::optional<std::size_t> index = order.next();
      if (!index) break;
      taken.push_back(*index);
      if (us(*index) >= best) continue;
      best = us(*index);
      order.lead(*index);
    }
    return taken;
  }

  test::ListedVariant grid_{"grid", {}};
  test::ListedVariant other_{"other", {}};
  std::vector<Contender> contenders_;
};

TEST_F(TrialOrderTest, EveryCandidateHasOneTurn) {
  TrialOrder order(contenders_);
  std::vector<std::size_t> taken =
      take(order, 1000, [](std::size_t index) { return static_cast<double>(index * 37 % 101); });
  ASSERT_EQ(taken.size(), contenders_.size());
  std::sort(taken.begin(), taken.end());
  for (std::size_t i = 0; i < taken.size(); ++i) EXPECT_EQ(taken[i], i);
}

TEST_F(TrialOrderTest, WithoutALeaderTheOrderIsTheSpaces) {
  TrialOrder order(contenders_);
  for (std::size_t i = 0; i < contenders_.size(); ++i) EXPECT_EQ(order.next(), i);
  EXPECT_FALSE(order.next());
}

TEST_F(TrialOrderTest, EveryOtherTrialIsANeighbourOfTheFastest) {
  TrialOrder order(contenders_);
  const auto taken = take(order, 12, [](std::size_t index) { return index == 5 ? 1.0 : 2.0; });
  EXPECT_EQ(taken, (std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6, 7, /* neighbour */ 8, 9,
                                             /* neighbour */ 15, 10}));
}

struct FiveKnobs {
  int values[5] = {};
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    constexpr const char* names[] = {"a", "b", "c", "d", "e"};
    for (int i = 0; i < 5; ++i) visit(names[i], self.values[i]);
  }
};

TEST_F(TrialOrderTest, ASlopeIsFollowedToItsFoot) {
  // Three values a knob, and the larger the faster: the fastest of all is the last in the order.
  constexpr std::size_t count = 243;
  std::vector<Contender> contenders;
  for (std::size_t i = 0; i < count; ++i) {
    FiveKnobs knobs;
    std::size_t digits = i;
    for (int& value : knobs.values) {
      value = static_cast<int>(digits % 3);
      digits /= 3;
    }
    contenders.push_back({&grid_, Config::of(knobs)});
  }
  TrialOrder order(contenders);
  const auto taken = take(order, count / 3, [&](std::size_t index) {
    const FiveKnobs* knobs = contenders[index].config.get<FiveKnobs>();
    return 200.0 - std::accumulate(std::begin(knobs->values), std::end(knobs->values), 0);
  });
  EXPECT_NE(std::find(taken.begin(), taken.end(), count - 1), taken.end());
}

}  // namespace
}  // namespace fastnorm::tuner
