// SPDX-License-Identifier: Apache-2.0
// Every shape with what the heuristic chooses for it: alignments, optional tensors, in place.
#include "support/plans.hpp"
#include "support/trial.hpp"
#include "sweep_case.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace fastnorm::test {
namespace {

class ShapeSweep : public Sweep {
 protected:
  void SetUp() override {
    Sweep::SetUp();
    if (IsSkipped()) return;
    plan_ = plan_or_failure(desc(), target_options(backend()));
    ASSERT_TRUE(plan_);
    EXPECT_EQ(plan_->backend(), backend().name());
  }

  const Plan& plan() const { return *plan_; }

 private:
  std::optional<Plan> plan_;
};

TEST_P(ShapeSweep, MatchesTheReference) {
  Trial trial(random_trial(desc()), target_memory());
  EXPECT_TRUE(run(plan(), trial));
}

TEST_P(ShapeSweep, InPlace) {
  TrialSetup setup = random_trial(desc());
  setup.output = Output::in_place;
  Trial trial(setup, target_memory());
  EXPECT_TRUE(run(plan(), trial));
}

TEST_P(ShapeSweep, FreeFunction) {
  Trial trial(random_trial(desc()), target_memory());
  EXPECT_TRUE(run_normalize(trial, target_options(backend())));
  // Once more with the cached plan and a used workspace.
  EXPECT_TRUE(run_normalize(trial, target_options(backend())));
}

TEST_P(ShapeSweep, MisalignedPointers) {
  std::size_t Offsets::*const tensors[] = {&Offsets::x, &Offsets::y, &Offsets::gamma,
                                           &Offsets::beta};
  const char* const names[] = {"x", "y", "gamma", "beta"};
  const TrialSetup aligned = random_trial(desc());
  for (std::size_t tensor = 0; tensor < 4; ++tensor) {
    for (std::size_t elements = 1; elements <= 3; ++elements) {
      TrialSetup setup = aligned;
      setup.offsets.*tensors[tensor] = elements;
      Trial trial(setup, target_memory());
      EXPECT_TRUE(run(plan(), trial)) << names[tensor] << " + " << elements << " elements";
    }
  }
}

TEST_P(ShapeSweep, OptionalTensors) {
  const TrialSetup all = random_trial(desc());
  for (const SavedStatistics statistics : {SavedStatistics::none, SavedStatistics::mean,
                                           SavedStatistics::rstd, SavedStatistics::both}) {
    for (int affine = 0; affine < 4; ++affine) {
      TrialSetup setup = all;
      setup.statistics = statistics;
      if ((affine & 1) == 0) setup.inputs.gamma.reset();
      if ((affine & 2) == 0) setup.inputs.beta.reset();
      Trial trial(setup, target_memory());
      EXPECT_TRUE(run(plan(), trial))
          << "gamma " << setup.inputs.gamma.has_value() << ", beta "
          << setup.inputs.beta.has_value() << ", statistics " << static_cast<int>(statistics);
    }
  }
}

// A build may lack back ends for the memory space.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ShapeSweep);
INSTANTIATE_TEST_SUITE_P(Shapes, ShapeSweep,
                         ::testing::Combine(::testing::ValuesIn(target_backends()),
                                            ::testing::ValuesIn(all_sweep_shapes())),
                         name_of);

}  // namespace
}  // namespace fastnorm::test
