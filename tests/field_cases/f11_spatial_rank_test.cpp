// F11: one, two and three spatial extents.
#include "support/plans.hpp"
#include "support/trial.hpp"

#include <gtest/gtest.h>

namespace fastnorm::test {
namespace {

class F11SpatialRank : public TargetTestWithParam<NormDesc> {};

TEST_P(F11SpatialRank, MatchesTheReference) {
  Trial trial(random_trial(GetParam()), target_memory());
  for (const Plan& plan : plans_under_test(GetParam())) EXPECT_TRUE(run(plan, trial));
}

INSTANTIATE_TEST_SUITE_P(Ranks, F11SpatialRank,
                         ::testing::Values(group_norm_desc({2, 8, 5}, 4),
                                           group_norm_desc({2, 8, 3, 5}, 4),
                                           group_norm_desc({2, 8, 3, 5, 7}, 4)),
                         [](const auto& info) { return to_identifier(info.param); });

}  // namespace
}  // namespace fastnorm::test
