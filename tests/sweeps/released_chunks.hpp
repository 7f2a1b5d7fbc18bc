// SPDX-License-Identifier: Apache-2.0
/// Tests of strategies that let chunks go once they have their moments, and read them again for the
/// output.
#pragma once

#include "core/backend.hpp"
#include "core/config.hpp"
#include "core/problem.hpp"
#include "cuda/captured_kernel.hpp"
#include "cuda/cuda_target.hpp"
#include "support/shapes.hpp"
#include "support/trial.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fastnorm::test {

class ReleasedChunksTest : public TargetTest {
 protected:
  /// `sample`: what the strategy supports on any device that it supports.
  ReleasedChunksTest(std::string_view strategy, NormDesc sample)
      : strategy_(strategy), sample_(std::move(sample)) {}

  void SetUp() override {
    TargetTest::SetUp();
    if (IsSkipped()) return;
    const KernelVariant& variant = *find_variant(cuda_backend(), strategy_);
    const Support support = variant.supports(Problem::create(sample_).value(), cuda_device());
    if (!support.ok) GTEST_SKIP() << support.reason;
  }

  /// Calls of any descriptor in these configurations. expect_released(captured, config, desc) looks
  /// at what a plan launches.
  template <class StrategyConfig, class ExpectReleased>
  void check(const NormDesc& desc, const std::vector<StrategyConfig>& configs,
             ExpectReleased&& expect_released) const {
    SCOPED_TRACE(to_text(desc));
    for (const TrialSetup& setup : calls(desc)) {
      Trial trial(setup, target_memory());
      for (const StrategyConfig& config : configs) {
        const Result<Plan> plan =
            Plan::create(desc, cuda_options(strategy_, Config::of(config).text()));
        ASSERT_TRUE(plan.ok()) << plan.status().message();
        SCOPED_TRACE(plan.value().describe());
        const GarbageWorkspace workspace(target_memory(), plan.value().workspace_bytes());
        const CapturedKernel captured(plan.value(), trial.args(), workspace);
        ASSERT_TRUE(captured.status().ok()) << captured.status().message();
        ASSERT_EQ(captured.kernels(), 1U);
        ASSERT_NE(captured.name().find(strategy_ + "_kernel"), std::string::npos)
            << captured.name();
        expect_released(captured, config, desc);
        EXPECT_TRUE(run(plan.value(), trial));
      }
    }
  }

 private:
  /// The outputs beside the inputs, and over them: what is read again must not have been written.
  static std::vector<TrialSetup> calls(const NormDesc& desc) {
    TrialSetup beside = random_trial(desc);
    TrialSetup over = beside;
    over.output = Output::in_place;
    if (desc.residual != Residual::none) {
      beside.sum = SumOutput::separate;
      over.sum = SumOutput::in_residual;
    }
    if (desc.x_type != desc.y_type) return {beside};
    return {beside, over};
  }

  const std::string strategy_;
  const NormDesc sample_;
};

}  // namespace fastnorm::test
