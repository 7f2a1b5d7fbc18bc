// SPDX-License-Identifier: Apache-2.0
// F43: values halfway between two elements of the output's type, and NaN.
#include "support/places.hpp"
#include "support/plans.hpp"
#include "support/tolerance.hpp"
#include "support/trial.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace fastnorm::test {
namespace {

class F43RoundingOfStores : public TargetTestWithParam<Types> {
 protected:
  /// With a gamma of 0, y is beta in y's type: these in turn, channel by channel. Long enough for
  /// every vector width.
  static TrialSetup beta_alone(const NormDesc& shape, const Values& three) {
    TrialSetup setup;
    setup.desc = with_types(shape, GetParam());
    setup.inputs = random_trial(setup.desc).inputs;
    setup.inputs.gamma = Values(channels, 0);
    for (std::size_t i = 0; i < channels; ++i) (*setup.inputs.beta)[i] = three[i % 3];
    return setup;
  }

  /// The same three in y's elements, as far as y is that.
  static Values in_turn(const NormDesc& desc, const Values& three) {
    const LogicalShape shape = logical_shape(desc);
    Values all(shape.elements());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = three[i / shape.spatial % shape.c % 3];
    return all;
  }

  static constexpr std::size_t channels = 96;

  static std::vector<NormDesc> shapes() {
    constexpr auto c = static_cast<std::int64_t>(channels);
    return {layer_norm_desc({5, c}), channels_last(group_norm_desc({5, c, 4}, 8)),
            over_channels(layer_norm_desc({2, 8, c}))};
  }
};

TEST_P(F43RoundingOfStores, TiesGoToEvenAndNaNStays) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const double unit = GetParam().y == DType::bf16 ? 0x1p-8 : 0x1p-11;  // half of that of y at 1
  std::optional<double> first_nan;
  for (const NormDesc& shape : shapes()) {
    const TrialSetup setup = beta_alone(shape, {1 + unit, 1 + 3 * unit, nan});
    Trial trial(setup, target_memory());
    for (const Plan& plan : plans_under_test(setup.desc)) {
      ASSERT_TRUE(execute(plan, trial));
      const Values y = trial.y();
      const double third = y[2 * logical_shape(setup.desc).spatial];
      ASSERT_TRUE(std::isnan(third)) << plan.describe();
      // Its bits, too, are the same whatever runs.
      if (!first_nan) first_nan = third;
      const Values expected = in_turn(setup.desc, {1, 1 + 4 * unit, *first_nan});
      EXPECT_TRUE(same_bits("y", y, expected)) << plan.describe();
    }
  }
}

TEST_P(F43RoundingOfStores, BeyondTheLargestElementIsInfinite) {
  if (GetParam().y == DType::bf16) GTEST_SKIP() << "f32 has no value as far beyond";
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const NormDesc& shape : shapes()) {
    const TrialSetup setup = beta_alone(shape, {65519, 65520, -1e6});
    Trial trial(setup, target_memory());
    for (const Plan& plan : plans_under_test(setup.desc)) {
      ASSERT_TRUE(execute(plan, trial));
      const Values expected = in_turn(setup.desc, {65504, infinity, -infinity});
      EXPECT_TRUE(same_bits("y", trial.y(), expected)) << plan.describe();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, F43RoundingOfStores,
                         ::testing::Values(Types{DType::f32, DType::bf16, DType::f32},
                                           Types{DType::bf16, DType::bf16, DType::f32},
                                           Types{DType::f32, DType::f16, DType::f32},
                                           Types{DType::f16, DType::f16, DType::f32}),
                         [](const auto& info) {
                           return std::string(to_string(info.param.x)) + "_to_" +
                                  to_string(info.param.y);
                         });

}  // namespace
}  // namespace fastnorm::test
