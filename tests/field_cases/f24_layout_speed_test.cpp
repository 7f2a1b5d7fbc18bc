// SPDX-License-Identifier: Apache-2.0
// F24: channels-last tensors whose samples are larger than a chip holds are normalised as they lie.
// (How fast, the benchmarks measure.)
#include "core/problem.hpp"
#include "cuda/cuda_target.hpp"
#include "field_cases/patterned_tensors.hpp"
#include "support/captured_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace fastnorm::test {
namespace {

const std::vector<std::string>& column_strategies() {
  static const std::vector<std::string> names = {"resident_columns", "stream_columns",
                                                 "split_columns"};
  return names;
}

class F24LayoutSpeed : public TargetTestWithParam<NormDesc> {
 protected:
  void SetUp() override {
    TargetTestWithParam<NormDesc>::SetUp();
    if (IsSkipped()) return;
    const std::string why = PatternedTensors::why_no_room(GetParam());
    if (!why.empty()) GTEST_SKIP() << why;
  }

  /// Whether all that the plan launches are kernels of its strategy, and whether its workspace is
  /// too small for another copy of the tensor.
  static void expect_no_conversion(const Plan& plan, const PatternedTensors& tensors) {
    EXPECT_LT(plan.workspace_bytes(), tensors.bytes() / 16);
    const GarbageWorkspace workspace(target_memory(), plan.workspace_bytes());
    TargetStream stream;
    CapturedGraph graph(stream.get());
    graph.begin();
    const Status status =
        plan.execute(tensors.args(), workspace.data(), workspace.size(), stream.get());
    graph.end();
    ASSERT_TRUE(status.ok()) << status.message();
    const std::vector<CapturedGraph::Kernel> kernels = graph.kernels();
    EXPECT_FALSE(kernels.empty());
    for (const CapturedGraph::Kernel& kernel : kernels) {
      EXPECT_NE(kernel.name().find(plan.strategy()), std::string::npos) << kernel.name();
    }
  }
};

TEST_P(F24LayoutSpeed, AColumnStrategyServesItWithoutAConversion) {
  const PatternedTensors tensors(GetParam());
  const Result<Plan> plan = Plan::create(GetParam(), target_options(cuda_backend()));
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  const std::vector<std::string>& known = column_strategies();
  EXPECT_EQ(std::count(known.begin(), known.end(), plan.value().strategy()), 1)
      << plan.value().describe();
  expect_no_conversion(plan.value(), tensors);
  tensors.expect_right(plan.value());
}

TEST_P(F24LayoutSpeed, SoDoesEveryColumnStrategyThatIsNamed) {
  const PatternedTensors tensors(GetParam());
  const Problem problem = Problem::create(GetParam()).value();
  for (const std::string& strategy : column_strategies()) {
    if (!find_variant(cuda_backend(), strategy)->supports(problem, cuda_device()).ok) continue;
    const Result<Plan> plan = Plan::create(GetParam(), cuda_options(strategy));
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    expect_no_conversion(plan.value(), tensors);
    tensors.expect_right(plan.value());
  }
}

INSTANTIATE_TEST_SUITE_P(
    Images, F24LayoutSpeed,
    ::testing::Values(
        with_type(channels_last(instance_norm_desc({2, 32, 128, 128, 128})), DType::f16),
        with_type(channels_last(group_norm_desc({1, 320, 512, 512}, 32)), DType::f16)),
    [](const auto& info) { return to_identifier(info.param); });

}  // namespace
}  // namespace fastnorm::test
