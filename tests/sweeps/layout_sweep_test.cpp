// SPDX-License-Identifier: Apache-2.0
// Other memory than dense channels-first tensors, with random types and epilogues. What lies
// between the elements of an output stays as it is.
#include "core/problem.hpp"
#include "support/places.hpp"
#include "support/plans.hpp"
#include "support/random.hpp"
#include "support/trial.hpp"
#include "sweep_case.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace fastnorm::test {
namespace {

class LayoutSweep : public Sweep {
 protected:
  /// With the default configuration of each strategy that walks such memory.
  void try_strategies(const NormDesc& form, Draw& draw) {
    SCOPED_TRACE(to_text(form));
    if (!plan_or_failure(form, target_options(backend()))) return;
    Trial trial(draw_trial(form, draw), target_memory());
    const DeviceInfo& device = *backend().device(-1).value();
    const Problem problem = Problem::create(form).value();
    for (const KernelVariant* variant : backend().variants()) {
      if (!variant->supports(problem, device).ok) continue;
      PlanOptions options = target_options(backend());
      options.strategy = variant->name();
      const Result<Plan> plan = Plan::create(form, options);
      ASSERT_TRUE(plan.ok()) << plan.status().message();
      EXPECT_TRUE(run(plan.value(), trial));
    }
  }
};

TEST_P(LayoutSweep, MatchesTheReference) {
  Draw draw(20260301);
  for (const NormDesc& plain : other_layouts(desc())) {
    try_strategies(plain, draw);
    for (int i = 0; i < 4; ++i) try_strategies(draw_form(plain, draw), draw);
  }
}

/// Places of elements are looked up one by one: not of the largest.
std::vector<NormDesc> shapes() {
  std::vector<NormDesc> some;
  for (const NormDesc& desc : all_sweep_shapes()) {
    if (logical_shape(desc).elements() <= 200'000) some.push_back(desc);
  }
  return some;
}

// A build may lack back ends for the memory space.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LayoutSweep);
INSTANTIATE_TEST_SUITE_P(Shapes, LayoutSweep,
                         ::testing::Combine(::testing::ValuesIn(target_backends()),
                                            ::testing::ValuesIn(shapes())),
                         name_of);

}  // namespace
}  // namespace fastnorm::test
