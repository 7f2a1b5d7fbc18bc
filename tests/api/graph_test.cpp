// SPDX-License-Identifier: Apache-2.0
// Plans in CUDA graphs: the kernels that a capture holds are those of the strategy that the plan
// names, and a replay computes.
#include "core/backend.hpp"
#include "core/problem.hpp"
#include "support/captured_graph.hpp"
#include "support/plans.hpp"
#include "support/trial.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace fastnorm::test {
namespace {

class GraphTest : public TargetTestWithParam<NormDesc> {
 protected:
  /// What a call has left behind must not matter to the next.
  static void expect_replays(Trial& trial, CapturedGraph& capture) {
    for (int replay = 0; replay < 3; ++replay) {
      trial.reset();
      capture.replay();
      ASSERT_TRUE(trial.check()) << "replay " << replay;
    }
  }
};

using GraphStrategies = TargetTest;

const Backend* cuda_if_built() {
  for (const Backend* backend : target_backends()) {
    if (backend->name() == "cuda") return backend;
  }
  return nullptr;
}

std::vector<std::string> kernel_names(const CapturedGraph& capture) {
  std::vector<std::string> names;
  for (const CapturedGraph::Kernel& kernel : capture.kernels()) names.push_back(kernel.name());
  return names;
}

/// Parts of the mangled names of a CUDA strategy's kernels.
using NameParts = std::vector<std::vector<std::string>>;
const std::map<std::string, NameParts>& kernels_of_strategies() {
  static const std::map<std::string, NameParts> kernels = {
      {"warp_row", {{"warp_row_kernel"}}},
      {"resident_row", {{"resident_row_kernel"}}},
      {"cluster_row", {{"cluster_row_kernel"}}},
      {"block_row", {{"block_row_kernel"}}},
      {"stream_row", {{"stream_row_kernel"}}},
      {"strided_row", {{"strided_row_kernel"}}},
      {"window_row", {{"window_row_kernel"}}},
      {"split_two_kernel",
       {{"split_statistics_kernel", "PartialReduction"},
        {"split_apply_kernel", "PartialReduction"}}},
      {"split_atomic",
       {{"split_statistics_kernel", "AtomicReduction"}, {"split_apply_kernel", "AtomicReduction"}}},
      {"resident_columns", {{"resident_columns_kernel"}}},
      {"stream_columns", {{"stream_columns_kernel"}}},
      {"split_columns", {{"split_columns_statistics_kernel"}, {"split_columns_apply_kernel"}}},
  };
  return kernels;
}

bool holds_all(const std::string& name, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    if (name.find(part) == std::string::npos) return false;
  }
  return true;
}

/// Strategies of the back end's list that take the problem on its device.
std::set<std::string> strategies_for(const NormDesc& desc, const Backend& backend) {
  const Problem problem = Problem::create(desc).value();
  const DeviceInfo& device = *backend.device(-1).value();
  std::set<std::string> names;
  for (const KernelVariant* variant : backend.variants()) {
    if (variant->supports(problem, device).ok) names.emplace(variant->name());
  }
  return names;
}

TEST_P(GraphTest, AForcedStrategyIsTheOneThatRuns) {
  Trial trial(random_trial(GetParam()), target_memory());
  TargetStream stream;
  std::set<std::string> seen;
  for (const Plan& plan : plans_under_test(GetParam(), 6)) {
    if (plan.backend() != "cuda") continue;
    SCOPED_TRACE(plan.describe());
    const GarbageWorkspace workspace(target_memory(), plan.workspace_bytes());
    CapturedGraph capture(stream.get());
    capture.begin();
    const Status status =
        plan.execute(trial.args(), workspace.data(), workspace.size(), stream.get());
    capture.end();
    ASSERT_TRUE(status.ok()) << status.message();

    const auto expected = kernels_of_strategies().find(plan.strategy());
    ASSERT_NE(expected, kernels_of_strategies().end()) << "no kernels listed for the strategy";
    const std::vector<std::string> names = kernel_names(capture);
    EXPECT_EQ(names.size(), expected->second.size());
    for (const std::vector<std::string>& parts : expected->second) {
      int matches = 0;
      for (const std::string& name : names) matches += holds_all(name, parts) ? 1 : 0;
      EXPECT_EQ(matches, 1) << "of " << parts.front() << " among "
                            << ::testing::PrintToString(names);
    }
    seen.insert(plan.strategy());
  }
  const Backend* cuda = cuda_if_built();
  if (cuda == nullptr) GTEST_SKIP() << "this build has no cuda back end";
  EXPECT_EQ(seen, strategies_for(GetParam(), *cuda));
}

TEST_F(GraphStrategies, KernelsAreListedForThoseOfTheBackEndAndNoOthers) {
  const Backend* cuda = cuda_if_built();
  if (cuda == nullptr) GTEST_SKIP() << "this build has no cuda back end";
  std::set<std::string> listed;
  for (const auto& [strategy, parts] : kernels_of_strategies()) listed.insert(strategy);
  std::set<std::string> offered;
  for (const KernelVariant* variant : cuda->variants()) offered.emplace(variant->name());
  EXPECT_EQ(listed, offered);
}

TEST_P(GraphTest, AReplayComputesAgain) {
  for (const Plan& plan : plans_under_test(GetParam(), 2)) {
    // Kernels of other back ends may need more than a capture allows.
    if (plan.backend() != "cuda") continue;
    SCOPED_TRACE(plan.describe());
    Trial trial(random_trial(GetParam()), target_memory());
    TargetStream stream;
    const GarbageWorkspace workspace(target_memory(), plan.workspace_bytes());
    CapturedGraph capture(stream.get());
    capture.begin();
    const Status status =
        plan.execute(trial.args(), workspace.data(), workspace.size(), stream.get());
    capture.end();
    ASSERT_TRUE(status.ok()) << status.message();
    // The workspace is used by then: each replay has to reset what it needs.
    expect_replays(trial, capture);
  }
}

TEST_P(GraphTest, TheFreeFunctionCanBeCaptured) {
  Trial trial(random_trial(GetParam()), target_memory());
  TargetStream stream;
  PlanOptions options = target_options(*target_backends().front());
  if (options.backend != "cuda") GTEST_SKIP() << "this build has no cuda back end";
  ASSERT_TRUE(run_normalize(trial, options, stream.get()));  // The plan exists by now.
  CapturedGraph capture(stream.get());
  capture.begin();
  const Status status = normalize(GetParam(), trial.args(), stream.get(), options);
  capture.end();
  ASSERT_TRUE(status.ok()) << status.message();
  expect_replays(trial, capture);
}

/// The workspace that the first kernel of a split strategy is given: its third parameter.
void* workspace_of(const CapturedGraph& capture) {
  const std::vector<CapturedGraph::Kernel> kernels = capture.kernels();
  return kernels.empty() ? nullptr : *static_cast<void**>(kernels.front().params.kernelParams[2]);
}

// Graphs from one stream may be replayed at once on others.
TEST_P(GraphTest, EachCaptureOfTheFreeFunctionHasItsOwnWorkspace) {
  const Backend* cuda = cuda_if_built();
  if (cuda == nullptr) GTEST_SKIP() << "this build has no cuda back end";
  PlanOptions options = target_options(*cuda);
  options.strategy = "split_two_kernel";
  if (strategies_for(GetParam(), *cuda).count(options.strategy) == 0) {
    GTEST_SKIP() << "no strategy with a workspace takes such rows";
  }
  Trial trial(random_trial(GetParam()), target_memory());
  TargetStream stream;
  CapturedGraph first(stream.get());
  first.begin();
  const Status status = normalize(GetParam(), trial.args(), stream.get(), options);
  first.end();
  ASSERT_TRUE(status.ok()) << status.message();
  CapturedGraph second(stream.get());
  second.begin();
  const Status other = normalize(GetParam(), trial.args(), stream.get(), options);
  second.end();
  ASSERT_TRUE(other.ok()) << other.message();
  EXPECT_NE(workspace_of(first), nullptr);
  EXPECT_NE(workspace_of(first), workspace_of(second));
}

NormDesc padded_images() {
  NormDesc desc = group_norm_desc({2, 4, 60, 100}, 2);
  desc.x_strides = {4 * 60 * 104, 60 * 104, 104, 1};
  return desc;
}

// Rows of 1024 are for all strategies of contiguous rows (strategy_spaces_test.cpp), where the
// device is.
INSTANTIATE_TEST_SUITE_P(Shapes, GraphTest,
                         ::testing::Values(layer_norm_desc({3, 1024}),
                                           group_norm_desc({2, 4, 5000}, 2), padded_images(),
                                           instance_norm_desc({1, 3, 70, 71})),
                         [](const auto& info) { return to_identifier(info.param); });

}  // namespace
}  // namespace fastnorm::test
