// F02: a spread that is small against the mean; E[x^2] - E[x]^2 in fp32 loses all of it.
#include "support/plans.hpp"
#include "support/tolerance.hpp"
#include "support/trial.hpp"

#include <gtest/gtest.h>

namespace fastnorm::test {
namespace {

class F02Cancellation : public TargetTest {
 protected:
  /// A row of its own, as LayerNorm would have it.
  static TrialSetup row(std::vector<float> x) {
    TrialSetup setup;
    setup.desc = group_norm_desc({1, static_cast<std::int64_t>(x.size())}, 1);
    setup.inputs.x = std::move(x);
    return setup;
  }

  static std::vector<double> tolerance(const Trial& trial) {
    return y_tolerance(trial.setup().desc, trial.setup().inputs, trial.expected());
  }
};

TEST_F(F02Cancellation, ConsecutiveNumbersNear40000) {
  Trial trial(row({40000, 40001, 40002, 40003}), target_memory());
  for (const Plan& plan : plans_under_test(trial.setup().desc)) {
    ASSERT_TRUE(run(plan, trial));
    EXPECT_TRUE(
        all_within("y", trial.y(), {-1.341635, -0.447212, 0.447212, 1.341635}, tolerance(trial)))
        << plan.describe();
  }
}

TEST_F(F02Cancellation, StepsOfAThousandthOnLargeMeans) {
  const std::pair<float, double> cases[] = {
      {100.0F, -1.341528}, {1000.0F, -1.341508}, {10000.0F, -1.331333}};
  for (const auto& [mean, first] : cases) {
    std::vector<float> x;
    for (int i = 0; i < 16; ++i) x.push_back(static_cast<float>(double{mean} + i * 1e-3));
    Trial trial(row(x), target_memory());
    EXPECT_NEAR(trial.expected().y[0], first, 1e-6);
    for (const Plan& plan : plans_under_test(trial.setup().desc)) EXPECT_TRUE(run(plan, trial));
  }
}

TEST_F(F02Cancellation, ConstantRowIsZero) {
  Trial trial(row(std::vector<float>(256, 1234)), target_memory());
  for (const Plan& plan : plans_under_test(trial.setup().desc)) {
    ASSERT_TRUE(run(plan, trial));
    EXPECT_TRUE(all_within("y", trial.y(), std::vector<double>(256, 0.0), tolerance(trial)))
        << plan.describe();
  }
}

// The same in rows long enough to be split, whose partials must not be merged by plain sums either.
TEST_F(F02Cancellation, LongRowsFarFromZero) {
  TrialSetup setup;
  setup.desc = group_norm_desc({2, 4, 30011}, 2);
  for (std::size_t i = 0; i < logical_shape(setup.desc).elements(); ++i) {
    setup.inputs.x.push_back(static_cast<float>(3000 + static_cast<double>(i % 17) * 1e-2));
  }
  Trial trial(setup, target_memory());
  for (const Plan& plan : plans_under_test(setup.desc)) EXPECT_TRUE(run(plan, trial));
}

// A shift taken from one element must not be the outlier's.
TEST_F(F02Cancellation, OneOutlierInARow) {
  for (const std::size_t place : {std::size_t{0}, std::size_t{1}, std::size_t{5000}}) {
    TrialSetup setup = random_trial(group_norm_desc({1, 1, 10007}, 1));
    setup.inputs.x[place] = 1e6F;
    Trial trial(setup, target_memory());
    for (const Plan& plan : plans_under_test(setup.desc)) {
      EXPECT_TRUE(run(plan, trial)) << "outlier at " << place;
    }
  }
}

}  // namespace
}  // namespace fastnorm::test
