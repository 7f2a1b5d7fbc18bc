// SPDX-License-Identifier: Apache-2.0
// Asking for a device where there may be none.
#include "support/shapes.hpp"
#include "support/target.hpp"

#include <gtest/gtest.h>

namespace fastnorm::test {
namespace {

TEST(Placement, ADeviceThatIsNotThereIsUnavailable) {
  PlanOptions options;
  options.memory = MemorySpace::device;
  const Result<Plan> plan = Plan::create(group_norm_desc({2, 8, 16}, 4), options);
  if (plan.ok()) GTEST_SKIP() << "there is a device: " << plan.value().describe();
  EXPECT_EQ(plan.status().code(), StatusCode::unavailable) << plan.status().message();
  EXPECT_FALSE(plan.status().message().empty());
}

TEST(Placement, AMissingDeviceIsNamedAsItWasAskedFor) {
  PlanOptions options;
  options.device = 3;
  for (const MemorySpace memory : {MemorySpace::automatic, MemorySpace::device}) {
    options.memory = memory;
    const Result<Plan> plan = Plan::create(group_norm_desc({2, 8, 16}, 4), options);
    if (plan.ok()) GTEST_SKIP() << "there is such a device: " << plan.value().describe();
    EXPECT_NE(plan.status().message().find("device=3"), std::string::npos)
        << plan.status().message();
  }
}

TEST(Placement, APlanFindsSomethingToRunOn) {
  if (backends().empty()) GTEST_SKIP() << "this build has no back end";
  PlanOptions options;
  options.tuning = Tuning::heuristic;
  const Result<Plan> plan = Plan::create(group_norm_desc({2, 8, 16}, 4), options);
  if (target_backends().empty() && !plan.ok()) {
    EXPECT_EQ(plan.status().code(), StatusCode::unavailable);
    return;
  }
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_NE(plan.value().memory(), MemorySpace::automatic);
}

TEST(Placement, InvalidComesBeforeUnavailable) {
  PlanOptions options;
  options.memory = MemorySpace::device;
  EXPECT_EQ(Plan::create(group_norm_desc({2, 8, 16}, 3), options).status().code(),
            StatusCode::invalid_argument);
}

}  // namespace
}  // namespace fastnorm::test
