// SPDX-License-Identifier: Apache-2.0
// F22: more rows than the second and third dimension of a CUDA grid have.
#include "support/plans.hpp"
#include "support/trial.hpp"

#include <gtest/gtest.h>

namespace fastnorm::test {
namespace {

class F22GridLimits : public TargetTestWithParam<NormDesc> {};

TEST_P(F22GridLimits, MatchesTheReference) {
  Trial trial(random_trial(GetParam()), target_memory());
  for (const Plan& plan : plans_under_test(GetParam(), 2)) EXPECT_TRUE(run(plan, trial));
}

INSTANTIATE_TEST_SUITE_P(ManyRows, F22GridLimits,
                         ::testing::Values(group_norm_desc({70000, 4, 16}, 2),
                                           group_norm_desc({1, 70000, 9}, 35000),
                                           channels_last(group_norm_desc({70000, 4, 16}, 2)),
                                           channels_last(group_norm_desc({1, 70000, 9}, 35000)),
                                           group_norm_desc({65536, 32}, 1),
                                           layer_norm_desc({65536, 32}), rms_norm_desc({70000, 8})),
                         [](const auto& info) { return to_identifier(info.param); });

}  // namespace
}  // namespace fastnorm::test
