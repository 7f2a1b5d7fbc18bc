// SPDX-License-Identifier: Apache-2.0
// Random shapes with random strategies, configurations, alignments and tensors, plain and with
// random types and epilogues. A failure prints all of them; the seed is fixed.
#include "core/problem.hpp"
#include "support/plans.hpp"
#include "support/random.hpp"
#include "support/trial.hpp"
#include "sweep_case.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace fastnorm::test {
namespace {

constexpr std::uint64_t seed = 20240311;

class RandomSweep : public TargetTestWithParam<const Backend*> {
 protected:
  /// With one configuration of each strategy that supports the descriptor.
  void try_strategies(const NormDesc& desc) {
    const Backend& backend = *GetParam();
    const DeviceInfo& device = *backend.device(-1).value();
    const Problem problem = Problem::create(desc).value();
    const TrialSetup setup = draw_trial(desc, draw_);
    if (!plan_or_failure(desc, target_options(backend))) return;
    SCOPED_TRACE(describe(setup));
    Trial trial(setup, target_memory());
    for (const KernelVariant* variant : backend.variants()) {
      if (!variant->supports(problem, device).ok) continue;
      const std::vector<Config> configs = variant->configs(problem, device);
      ASSERT_FALSE(configs.empty()) << variant->name();
      PlanOptions options = target_options(backend);
      options.strategy = variant->name();
      options.config = draw_.one_of(configs).text();
      const Result<Plan> plan = Plan::create(desc, options);
      ASSERT_TRUE(plan.ok()) << plan.status().message();
      ASSERT_TRUE(run(plan.value(), trial));
    }
  }

  Draw draw_{seed};
};

TEST_P(RandomSweep, MatchesTheReference) {
  for (const NormDesc& desc : random_shapes(200, seed)) {
    try_strategies(desc);
    if (HasFatalFailure()) return;
  }
}

TEST_P(RandomSweep, MatchesTheReferenceInEveryForm) {
  for (const NormDesc& shape : random_shapes(600, seed + 1)) {
    try_strategies(draw_form(shape, draw_));
    if (HasFatalFailure()) return;
  }
}

// A build may lack back ends for the memory space.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(RandomSweep);
INSTANTIATE_TEST_SUITE_P(BackEnds, RandomSweep, ::testing::ValuesIn(target_backends()),
                         [](const auto& info) {
                           std::string name(info.param->name());
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace fastnorm::test
