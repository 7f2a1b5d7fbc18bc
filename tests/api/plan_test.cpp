// SPDX-License-Identifier: Apache-2.0
// What a plan says of itself, and how it is chosen.
#include "core/plan_impl.hpp"
#include "support/plans.hpp"
#include "support/scoped_environment.hpp"
#include "support/trial.hpp"

#include <gtest/gtest.h>

#include <string>

namespace fastnorm::test {
namespace {

bool contains(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

class PlanTest : public TargetTestWithParam<NormDesc> {
 protected:
  static Plan create(const NormDesc& desc, const PlanOptions& options) {
    Result<Plan> plan = Plan::create(desc, options);
    EXPECT_TRUE(plan.ok()) << plan.status().message();
    return plan.value();
  }

  static PlanOptions forcing(const Plan& plan) {
    PlanOptions options = target_options();
    options.backend = plan.backend();
    options.strategy = plan.strategy();
    options.config = plan.config();
    return options;
  }

  static void expect_same_choice(const Plan& a, const Plan& b) {
    EXPECT_EQ(a.backend(), b.backend());
    EXPECT_EQ(a.strategy(), b.strategy());
    EXPECT_EQ(a.config(), b.config());
    EXPECT_EQ(a.workspace_bytes(), b.workspace_bytes());
  }
};

TEST_P(PlanTest, SaysWhatWillRunAndWhy) {
  const Plan plan = create(GetParam(), target_options());
  EXPECT_EQ(plan.memory(), target_space());
  const std::string text = plan.describe();
  EXPECT_TRUE(contains(text, plan.backend())) << text;
  EXPECT_TRUE(contains(text, plan.strategy())) << text;
  EXPECT_TRUE(contains(text, plan.config())) << text;
  EXPECT_TRUE(contains(text, "heuristic")) << text;
  EXPECT_FALSE(contains(text, "\n")) << text;
}

TEST_P(PlanTest, ForcingWhatAPlanPrintsGivesThatPlan) {
  for (const Plan& plan : plans_under_test(GetParam(), 20)) {
    const Plan forced = create(GetParam(), forcing(plan));
    expect_same_choice(forced, plan);
    EXPECT_TRUE(contains(forced.describe(), "forced")) << forced.describe();
  }
}

TEST_P(PlanTest, TheEnvironmentForcesLikeTheOptions) {
  for (const Plan& plan : plans_under_test(GetParam(), 1)) {
    const ScopedEnvironment force("FASTNORM_FORCE",
                                  plan.backend() + ":" + plan.strategy() + ":" + plan.config());
    const Plan forced = create(GetParam(), target_options());
    expect_same_choice(forced, plan);
    EXPECT_TRUE(contains(forced.describe(), "forced")) << forced.describe();
  }
}

TEST_P(PlanTest, DeterministicPlansRepeat) {
  PlanOptions options = target_options();
  options.deterministic = true;
  EXPECT_TRUE(repeats_bit_for_bit(create(GetParam(), options)));

  for (const Plan& plan : plans_under_test(GetParam(), 1)) {
    options = forcing(plan);
    options.deterministic = true;
    const Result<Plan> forced = Plan::create(GetParam(), options);
    EXPECT_EQ(forced.ok(), repeats_bit_for_bit(plan)) << plan.describe();
    const StatusCode expected = forced.ok() ? StatusCode::ok : StatusCode::unsupported;
    EXPECT_EQ(forced.status().code(), expected);
  }
}

TEST_P(PlanTest, CopiesShareAndOutliveTheOriginal) {
  auto original = std::make_unique<Plan>(create(GetParam(), target_options()));
  const Plan copy = *original;
  original.reset();
  Trial trial(random_trial(GetParam()), target_memory());
  EXPECT_TRUE(run(copy, trial));
}

TEST_P(PlanTest, WhatTheWorkspaceHoldsDoesNotMatter) {
  Trial trial(random_trial(GetParam()), target_memory());
  for (const Plan& plan : plans_under_test(GetParam())) {
    if (plan.workspace_bytes() == 0) continue;
    SCOPED_TRACE(plan.describe());
    for (const Garbage garbage : all_garbage) {
      trial.reset();
      const GarbageWorkspace workspace(target_memory(), plan.workspace_bytes(), garbage);
      const Status status = plan.execute(trial.args(), workspace.data(), workspace.size());
      ASSERT_TRUE(status.ok()) << status.message();
      EXPECT_TRUE(trial.check()) << "garbage " << static_cast<int>(garbage);
      EXPECT_TRUE(workspace.canaries_intact());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, PlanTest,
                         ::testing::Values(group_norm_desc({4, 32, 64}, 8),
                                           group_norm_desc({1, 2, 300, 300}, 1),
                                           instance_norm_desc({2, 3, 7, 5})),
                         [](const auto& info) { return to_identifier(info.param); });

class ForceVariable : public TargetTest {
 protected:
  static Result<Plan> create_with(const std::string& force) {
    const ScopedEnvironment environment("FASTNORM_FORCE", force);
    return Plan::create(group_norm_desc({4, 32, 64}, 8), target_options());
  }
};

TEST_F(ForceVariable, ABackEndAloneLeavesTheStrategyOpen) {
  const std::string name(target_backends().back()->name());
  const Result<Plan> plan = create_with(name);
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_EQ(plan.value().backend(), name);
}

TEST_F(ForceVariable, OptionsComeFirst) {
  const ScopedEnvironment environment("FASTNORM_FORCE", "kokkos:no_such_strategy");
  PlanOptions options = target_options(*target_backends().front());
  const Result<Plan> plan = Plan::create(group_norm_desc({4, 32, 64}, 8), options);
  EXPECT_TRUE(plan.ok()) << plan.status().message();
}

TEST_F(ForceVariable, NamesThatDoNotExistAreErrors) {
  for (const std::string force : {"vulkan", ":no_such_strategy", "vulkan:block_row"}) {
    const Result<Plan> plan = create_with(force);
    ASSERT_FALSE(plan.ok()) << force;
    EXPECT_EQ(plan.status().code(), StatusCode::invalid_argument) << plan.status().message();
  }
  const std::string name(target_backends().front()->name());
  EXPECT_FALSE(create_with(name + ":no_such_strategy").ok());
}

}  // namespace
}  // namespace fastnorm::test
