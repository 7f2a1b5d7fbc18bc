// SPDX-License-Identifier: Apache-2.0
// F08: one group over several channels is not one group a channel.
#include "support/plans.hpp"
#include "support/tolerance.hpp"
#include "support/trial.hpp"

#include <gtest/gtest.h>

namespace fastnorm::test {
namespace {

class F08OneGroup : public TargetTest {};

void check_channels_filled_with_their_number(const NormDesc& desc) {
  constexpr double by_channel[] = {-1.341635, -0.447212, 0.447212, 1.341635};
  TrialSetup setup;
  setup.desc = desc;
  Values expected;
  for (std::size_t i = 0; i < logical_shape(setup.desc).elements(); ++i) {
    const std::size_t channel = i / 9 % 4;
    setup.inputs.x.push_back(static_cast<double>(channel));
    expected.push_back(by_channel[channel]);
  }
  Trial trial(setup, target_memory());
  for (const Plan& plan : plans_under_test(setup.desc)) {
    ASSERT_TRUE(run(plan, trial));
    EXPECT_TRUE(all_within("y", trial.y(), expected, trial.tolerance())) << plan.describe();
  }
}

TEST_F(F08OneGroup, ChannelsFilledWithTheirNumber) {
  check_channels_filled_with_their_number(group_norm_desc({2, 4, 9}, 1));
}

TEST_F(F08OneGroup, LastChannelsFilledWithTheirNumber) {
  check_channels_filled_with_their_number(channels_last(group_norm_desc({2, 4, 9}, 1)));
}

TEST_F(F08OneGroup, FourGroupsOfSixChannelsAreRefused) {
  const Result<Plan> plan = Plan::create(group_norm_desc({2, 6, 9}, 4), target_options());
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.status().code(), StatusCode::invalid_argument);
}

}  // namespace
}  // namespace fastnorm::test
