// SPDX-License-Identifier: Apache-2.0
// The hot path allocates nothing.
#include "counting_new.hpp"
#include "support/plans.hpp"
#include "support/trial.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace fastnorm::test {
namespace {

constexpr int calls = 100;

class Allocation : public TargetTestWithParam<NormDesc> {};

TEST(CountingNew, Counts) {
  const std::size_t before = allocation_count();
  auto one = std::make_unique<int>(1);
  auto many = std::make_unique<int[]>(10);
  EXPECT_EQ(allocation_count() - before, 2U);
}

TEST_P(Allocation, ExecutingAPlanAllocatesNothing) {
  TrialSetup misaligned = random_trial(GetParam());
  misaligned.offsets = {1, 1, 1, 1};  // Takes the fallback, where there is one.
  Trial trials[] = {{random_trial(GetParam()), target_memory()}, {misaligned, target_memory()}};
  for (const Plan& plan : plans_under_test(GetParam(), 1)) {
    const GarbageWorkspace workspace(target_memory(), plan.workspace_bytes());
    for (const Trial& trial : trials) {
      const NormArgs args = trial.args();
      bool ok = plan.execute(args, workspace.data(), workspace.size()).ok();
      const std::size_t before = allocation_count();
      for (int i = 0; i < calls; ++i) {
        ok = plan.execute(args, workspace.data(), workspace.size()).ok() && ok;
      }
      const std::size_t allocated = allocation_count() - before;
      EXPECT_TRUE(ok) << plan.describe();
      EXPECT_EQ(allocated, 0U) << "in " << calls << " calls of " << plan.describe();
    }
  }
}

TEST_P(Allocation, ACachedCallOfTheFreeFunctionAllocatesNothing) {
  Trial trial(random_trial(GetParam()), target_memory());
  const NormArgs args = trial.args();
  const PlanOptions options = target_options();
  bool ok = true;
  for (int i = 0; i < 3; ++i) ok = normalize(GetParam(), args, {}, options).ok() && ok;
  const std::size_t before = allocation_count();
  for (int i = 0; i < calls; ++i) ok = normalize(GetParam(), args, {}, options).ok() && ok;
  const std::size_t allocated = allocation_count() - before;
  EXPECT_TRUE(ok);
  EXPECT_EQ(allocated, 0U) << "in " << calls << " calls";
}

TEST_P(Allocation, ACachedCallThatForcesItsConfigurationAllocatesNothing) {
  Trial trial(random_trial(GetParam()), target_memory());
  const NormArgs args = trial.args();
  const Result<Plan> chosen = Plan::create(GetParam(), target_options());
  ASSERT_TRUE(chosen.ok()) << chosen.status().message();
  PlanOptions options = target_options();
  options.backend = chosen.value().backend();
  options.strategy = chosen.value().strategy();
  options.config = chosen.value().config();
  ASSERT_TRUE(normalize(GetParam(), args, {}, options).ok());
  const std::size_t before = allocation_count();
  bool ok = true;
  for (int i = 0; i < calls; ++i) ok = normalize(GetParam(), args, {}, options).ok() && ok;
  EXPECT_TRUE(ok);
  EXPECT_EQ(allocation_count() - before, 0U) << "in " << calls << " calls";
}

INSTANTIATE_TEST_SUITE_P(Shapes, Allocation,
                         ::testing::Values(group_norm_desc({2, 8, 16}, 4),
                                           group_norm_desc({1, 2, 50000}, 2),
                                           group_norm_desc({3000, 8}, 4)),
                         [](const auto& info) { return to_identifier(info.param); });

}  // namespace
}  // namespace fastnorm::test
