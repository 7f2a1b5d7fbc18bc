// SPDX-License-Identifier: Apache-2.0
// The back ends against each other: one input, every back end that can run here, one answer.
#include "support/plans.hpp"
#include "support/tolerance.hpp"
#include "support/trial.hpp"
#include "sweep_case.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fastnorm::test {
namespace {

class Agreement : public TargetTestWithParam<NormDesc> {};

TEST_P(Agreement, BackEndsGiveOneAnswer) {
  const TrialSetup setup = random_trial(GetParam());
  std::vector<std::pair<std::string, Values>> answers;
  NormReference expected;
  for (const Backend* backend : backends()) {
    const bool on_host = backend->memory() == MemorySpace::host;
    if (!on_host && backend->memory() != target_space()) continue;
    PlanOptions options = target_options(*backend);
    options.memory = backend->memory();
    const std::optional<Plan> plan = plan_or_failure(setup.desc, options);
    if (!plan) continue;
    Trial trial(setup, on_host ? host_memory() : target_memory());
    ASSERT_TRUE(run(*plan, trial));
    answers.emplace_back(backend->name(), trial.y());
    expected = trial.expected();
  }
  if (answers.size() < 2) GTEST_SKIP() << "one back end alone has nobody to agree with";

  // Each may err by the tolerance on its own side.
  Values tolerance = y_tolerance(setup.desc, expected);
  for (double& t : tolerance) t *= 2;
  const Values& first = answers.front().second;
  for (std::size_t i = 1; i < answers.size(); ++i) {
    EXPECT_TRUE(all_within("y of " + answers[i].first, answers[i].second, first, tolerance))
        << "against " << answers.front().first;
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Agreement, ::testing::ValuesIn(all_sweep_shapes()),
                         [](const auto& info) { return to_identifier(info.param); });

}  // namespace
}  // namespace fastnorm::test
