// What the strategies whose blocks wait for each other run where they cannot: for pointers that no
// cut into vectors serves, and in place of a launch that the device has no room for.
#include "captured_kernel.hpp"
#include "cuda_target.hpp"
#include "support/shapes.hpp"
#include "support/trial.hpp"

#include <gtest/gtest.h>

#include <string>

namespace fastnorm::test {
namespace {

class CoresidentFallback : public TargetTestWithParam<const char*> {};

TEST_P(CoresidentFallback, IsRightAndWaitsForNoOtherBlock) {
  const NormDesc desc = layer_norm_desc({3, 65537});
  const Result<Plan> plan = Plan::create(desc, cuda_options(GetParam(), ""));
  if (plan.status().code() == StatusCode::unsupported) GTEST_SKIP() << plan.status().message();
  ASSERT_TRUE(plan.ok()) << plan.status().message();

  TrialSetup setup = random_trial(desc);
  setup.offsets.y = 1;
  Trial trial(setup, target_memory());
  EXPECT_TRUE(run(plan.value(), trial));

  const GarbageWorkspace workspace(target_memory(), plan.value().workspace_bytes());
  const CapturedKernel captured(plan.value(), trial.args(), workspace);
  ASSERT_TRUE(captured.status().ok()) << captured.status().message();
  ASSERT_EQ(captured.kernels(), 1U);
  EXPECT_EQ(captured.launch_of(nullptr).blocks_at_once(), 1) << plan.value().describe();
}

INSTANTIATE_TEST_SUITE_P(Strategies, CoresidentFallback,
                         ::testing::Values("stream_row", "cluster_row", "window_row"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace fastnorm::test
