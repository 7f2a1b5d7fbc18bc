// F43: values halfway between two elements of the output's type, and NaN.
#include "support/plans.hpp"
#include "support/tolerance.hpp"
#include "support/trial.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <string>

namespace fastnorm::test {
namespace {

class F43RoundingOfStores : public TargetTestWithParam<Types> {
 protected:
  /// With a gamma of 0, y is beta in y's type. Rows long enough for every vector width.
  static TrialSetup beta_alone(const Types& types, const Values& three) {
    TrialSetup setup;
    setup.desc = with_types(layer_norm_desc({5, 96}), types);
    setup.inputs = random_trial(setup.desc).inputs;
    setup.inputs.gamma = Values(96, 0);
    for (std::size_t i = 0; i < 96; ++i) (*setup.inputs.beta)[i] = three[i % 3];
    return setup;
  }
};

TEST_P(F43RoundingOfStores, TiesGoToEvenAndNaNStays) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const double unit = GetParam().y == DType::bf16 ? 0x1p-8 : 0x1p-11;  // half of that of y at 1
  const TrialSetup setup = beta_alone(GetParam(), {1 + unit, 1 + 3 * unit, nan});
  Trial trial(setup, target_memory());
  std::optional<Values> first;
  for (const Plan& plan : plans_under_test(setup.desc)) {
    ASSERT_TRUE(execute(plan, trial));
    const Values y = trial.y();
    for (std::size_t i = 0; i < y.size(); i += 3) {
      ASSERT_EQ(y[i], 1) << plan.describe();
      ASSERT_EQ(y[i + 1], 1 + 4 * unit) << plan.describe();
      ASSERT_TRUE(std::isnan(y[i + 2])) << plan.describe();
    }
    // The NaN's bits, too, are the same whatever runs.
    if (!first) first = y;
    EXPECT_TRUE(same_bits("y", y, *first)) << plan.describe();
  }
}

TEST_P(F43RoundingOfStores, BeyondTheLargestElementIsInfinite) {
  if (GetParam().y == DType::bf16) GTEST_SKIP() << "f32 has no value as far beyond";
  const TrialSetup setup = beta_alone(GetParam(), {65519, 65520, -1e6});
  Trial trial(setup, target_memory());
  for (const Plan& plan : plans_under_test(setup.desc)) {
    ASSERT_TRUE(execute(plan, trial));
    const Values y = trial.y();
    EXPECT_EQ(y[0], 65504) << plan.describe();
    EXPECT_EQ(y[1], std::numeric_limits<double>::infinity()) << plan.describe();
    EXPECT_EQ(y[2], -std::numeric_limits<double>::infinity()) << plan.describe();
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
