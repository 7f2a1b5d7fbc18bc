// SPDX-License-Identifier: Apache-2.0
// F21: what promises to repeat bit for bit does.
#include "support/places.hpp"
#include "support/plans.hpp"
#include "support/tolerance.hpp"
#include "support/trial.hpp"

#include <gtest/gtest.h>

namespace fastnorm::test {
namespace {

class F21Repeatability : public TargetTestWithParam<NormDesc> {};

TEST_P(F21Repeatability, TwentyRunsGiveTheSameBits) {
  Trial trial(random_trial(GetParam()), target_memory());
  for (const Plan& plan : plans_under_test(GetParam(), 3)) {
    if (!repeats_bit_for_bit(plan)) continue;
    ASSERT_TRUE(run(plan, trial));
    const Values y = trial.y();
    const Values rstd = trial.rstd();
    for (int repetition = 1; repetition < 20; ++repetition) {
      ASSERT_TRUE(execute(plan, trial));
      ASSERT_TRUE(same_bits("y", trial.y(), y)) << plan.describe();
      ASSERT_TRUE(same_bits("rstd", trial.rstd(), rstd)) << plan.describe();
    }
  }
}

TEST_P(F21Repeatability, ADeterministicPlanIsOneOfThem) {
  for (const Backend* backend : target_backends()) {
    PlanOptions options = target_options(*backend);
    options.deterministic = true;
    const auto plan = plan_or_failure(GetParam(), options);
    if (!plan) continue;
    EXPECT_TRUE(repeats_bit_for_bit(*plan)) << plan->describe();
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, F21Repeatability,
                         ::testing::Values(group_norm_desc({2, 320, 32, 32}, 32),
                                           group_norm_desc({1, 2, 150001}, 1),
                                           channels_last(group_norm_desc({1, 320, 24, 24}, 32)),
                                           channels_last(instance_norm_desc({1, 16, 9001})),
                                           over_channels(layer_norm_desc({2, 1000, 96})),
                                           with_type(layer_norm_desc({16, 4096}), DType::bf16),
                                           with_type(rms_norm_desc({2, 100000}), DType::f16)),
                         [](const auto& info) { return to_identifier(info.param); });

}  // namespace
}  // namespace fastnorm::test
