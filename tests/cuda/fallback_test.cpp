// SPDX-License-Identifier: Apache-2.0
// What the strategies whose blocks wait for each other run where they cannot: for pointers that no
// cut into vectors serves, and in place of a launch that the device has no room for.
#include "captured_kernel.hpp"
#include "cuda_target.hpp"
#include "support/places.hpp"
#include "support/plans.hpp"
#include "support/shapes.hpp"
#include "support/trial.hpp"

#include <gtest/gtest.h>

#include <string>

namespace fastnorm::test {
namespace {

/// A call whose rows, or whose tiles of columns, take several blocks each.
struct WaitingCall {
  const char* name;
  const char* strategy;
  NormDesc desc;
};

class CoresidentFallback : public TargetTestWithParam<WaitingCall> {};

TEST_P(CoresidentFallback, IsRightAndWaitsForNoOtherBlock) {
  const NormDesc& desc = GetParam().desc;
  const Result<Plan> plan = Plan::create(desc, cuda_options(GetParam().strategy));
  if (plan.status().code() == StatusCode::unsupported) GTEST_SKIP() << plan.status().message();
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_TRUE(needs_coresidency(plan.value())) << plan.value().describe();

  TrialSetup setup = random_trial(desc);
  setup.offsets.y = 1;
  Trial trial(setup, target_memory());
  EXPECT_TRUE(run(plan.value(), trial));

  const GarbageWorkspace workspace(target_memory(), plan.value().workspace_bytes());
  const CapturedKernel captured(plan.value(), trial.args(), workspace);
  ASSERT_TRUE(captured.status().ok()) << captured.status().message();
  EXPECT_EQ(captured.blocks_at_once(), 1) << plan.value().describe();
}

INSTANTIATE_TEST_SUITE_P(
    Strategies, CoresidentFallback,
    ::testing::Values(WaitingCall{"stream_row", "stream_row", layer_norm_desc({3, 65537})},
                      WaitingCall{"cluster_row", "cluster_row", layer_norm_desc({3, 65537})},
                      WaitingCall{"window_row", "window_row", layer_norm_desc({3, 65537})},
                      WaitingCall{"resident_columns", "resident_columns",
                                  channels_last(group_norm_desc({3, 64, 4000}, 8))},
                      WaitingCall{"resident_columns_over_channels", "resident_columns",
                                  over_channels(layer_norm_desc({1, 64, 16000}))},
                      WaitingCall{"stream_columns", "stream_columns",
                                  channels_last(group_norm_desc({3, 64, 4000}, 8))},
                      WaitingCall{"stream_columns_over_channels", "stream_columns",
                                  over_channels(layer_norm_desc({1, 64, 16000}))}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace fastnorm::test
