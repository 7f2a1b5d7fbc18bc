// SPDX-License-Identifier: Apache-2.0
/// Predictions from a few measurements.
#include "tuner/time_model.hpp"

#include "tuner/listed_variant.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

namespace fastnorm::tuner {
namespace {

enum class Colour { red, green };
constexpr std::array<std::string_view, 2> enum_names(Colour) { return {"red", "green"}; }

struct Knobs {
  int size = 0;
  Colour colour = Colour::red;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("size", self.size);
    visit("colour", self.colour);
  }
};

class TimeModelTest : public ::testing::Test {
 protected:
  /// Sizes 1, 2, 4, ... 64 in both colours of one strategy, and of another: all expected to take
  /// 100 us.
  TimeModelTest() {
    for (const KernelVariant* variant : {&one_, &other_}) {
      for (int size = 1; size <= 64; size *= 2) {
        for (const Colour colour : {Colour::red, Colour::green}) {
          space_.contenders.push_back({variant, Config::of(Knobs{size, colour})});
          space_.estimates_us.push_back(100);
        }
      }
    }
  }

  std::size_t index(const KernelVariant& variant, int size, Colour colour) const {
    std::size_t i = 0;
    while (!(space_.contenders[i].variant == &variant &&
             space_.contenders[i].config == Config::of(Knobs{size, colour}))) {
      ++i;
    }
    return i;
  }

  test::ListedVariant one_{"one", {}};
  test::ListedVariant other_{"other", {}};
  SearchSpace space_;
};

TEST_F(TimeModelTest, WhatIsMeasuredIsKnown) {
  TimeModel model(space_);
  const std::size_t measured = index(one_, 8, Colour::red);
  model.observe(measured, 90);
  EXPECT_LT(model.expected_gain(measured, 85), 0.001);
  EXPECT_NEAR(model.expected_gain(measured, 99), 0.095, 0.01);
}

TEST_F(TimeModelTest, WithoutMeasurementsTheEstimateDecides) {
  space_.estimates_us[3] = 80;
  const TimeModel model(space_);
  for (std::size_t i = 0; i < space_.contenders.size(); ++i) {
    if (i == 3) continue;
    EXPECT_GT(model.expected_gain(3, 90), model.expected_gain(i, 90));
  }
}

TEST_F(TimeModelTest, TheNearerTheMoreAlike) {
  TimeModel model(space_);
  model.observe(index(one_, 8, Colour::red), 80);
  model.observe(index(other_, 8, Colour::red), 100);
  const auto gain = [&](const KernelVariant& variant, int size, Colour colour) {
    return model.expected_gain(index(variant, size, colour), 100);
  };
  EXPECT_GT(gain(one_, 16, Colour::red), gain(one_, 32, Colour::red)) << "by one value and two";
  EXPECT_GT(gain(one_, 16, Colour::red), gain(one_, 16, Colour::green));
  EXPECT_GT(gain(one_, 16, Colour::green), gain(other_, 16, Colour::green));
}

TEST_F(TimeModelTest, NumbersAreInTheirOwnOrderNotInThatOfText) {
  TimeModel model(space_);
  model.observe(index(one_, 16, Colour::red), 80);
  EXPECT_GT(model.expected_gain(index(one_, 32, Colour::red), 100),
            model.expected_gain(index(one_, 1, Colour::red), 100))
      << "\"1\" is before \"16\" in a dictionary";
}

TEST_F(TimeModelTest, WhatDefiesItMakesItLessSure) {
  const std::size_t far = index(other_, 64, Colour::green);
  TimeModel confirmed(space_);
  TimeModel refuted(space_);
  for (int size = 1; size <= 64; size *= 2) {
    confirmed.observe(index(one_, size, Colour::red), 100);
    refuted.observe(index(one_, size, Colour::red), size % 3 == 1 ? 70 : 140);
  }
  EXPECT_GT(refuted.expected_gain(far, 60), confirmed.expected_gain(far, 60));
}

}  // namespace
}  // namespace fastnorm::tuner
