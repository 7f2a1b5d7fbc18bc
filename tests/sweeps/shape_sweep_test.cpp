// Every shape with what the heuristic chooses for it: alignments, optional tensors, in place.
#include "support/trial.hpp"
#include "sweep_case.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace fastnorm::test {
namespace {

class ShapeSweep : public Sweep {
 protected:
  void SetUp() override {
    Sweep::SetUp();
    if (IsSkipped()) return;
    Result<Plan> plan = Plan::create(desc(), target_options(backend()));
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    plan_ = std::make_unique<Plan>(plan.value());
    EXPECT_EQ(plan_->backend(), backend().name());
  }

  const Plan& plan() const { return *plan_; }

 private:
  std::unique_ptr<Plan> plan_;
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
  for (std::size_t tensor = 0; tensor < 4; ++tensor) {
    for (std::size_t elements = 1; elements <= 3; ++elements) {
      TrialSetup setup = random_trial(desc());
      setup.offsets.*tensors[tensor] = elements;
      Trial trial(setup, target_memory());
      EXPECT_TRUE(run(plan(), trial)) << names[tensor] << " + " << elements << " elements";
    }
  }
}

TEST_P(ShapeSweep, OptionalTensors) {
  for (const Statistics statistics :
       {Statistics::none, Statistics::mean, Statistics::rstd, Statistics::both}) {
    for (int affine = 0; affine < 4; ++affine) {
      TrialSetup setup = random_trial(desc());
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
                                            ::testing::ValuesIn(sweep_shapes())),
                         name_of);

}  // namespace
}  // namespace fastnorm::test
