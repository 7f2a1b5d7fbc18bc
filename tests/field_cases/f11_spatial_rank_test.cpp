// SPDX-License-Identifier: Apache-2.0
// F11: one, two and three spatial extents.
#include "support/places.hpp"
#include "support/plans.hpp"
#include "support/trial.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace fastnorm::test {
namespace {

class F11SpatialRank : public TargetTestWithParam<NormDesc> {};

TEST_P(F11SpatialRank, MatchesTheReference) {
  Trial trial(random_trial(GetParam()), target_memory());
  for (const Plan& plan : plans_under_test(GetParam())) EXPECT_TRUE(run(plan, trial));
}

/// Each rank in both layouts, and over channels.
std::vector<NormDesc> every_rank() {
  std::vector<NormDesc> all;
  for (const NormDesc& desc : {group_norm_desc({2, 8, 5}, 4), group_norm_desc({2, 8, 3, 5}, 4),
                               group_norm_desc({2, 8, 3, 5, 7}, 4)}) {
    all.push_back(desc);
    all.push_back(channels_last(desc));
  }
  for (const NormDesc& desc : {layer_norm_desc({2, 5, 8}), layer_norm_desc({2, 3, 5, 8}),
                               layer_norm_desc({2, 3, 5, 7, 8})}) {
    all.push_back(over_channels(desc));
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Ranks, F11SpatialRank, ::testing::ValuesIn(every_rank()),
                         [](const auto& info) { return to_identifier(info.param); });

}  // namespace
}  // namespace fastnorm::test
