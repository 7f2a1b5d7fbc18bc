// SPDX-License-Identifier: Apache-2.0
// A plan has loaded its kernels: its first execution does not wait for the work of other streams,
// as the first launch of a kernel that is loaded by then would. CTest runs each test in a process
// of its own, so that every execution here is the first of its kernels.
#include "core/problem.hpp"
#include "cuda_target.hpp"
#include "spinning_grid.hpp"
#include "support/shapes.hpp"
#include "support/trial.hpp"
#include "time_limit.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <tuple>
#include <vector>

namespace fastnorm::test {
namespace {

/// A call that a plan serves by the kernels it was chosen for, or by those for any pointers.
struct Call {
  const char* name;
  NormDesc desc;
  Offsets offsets;
};

std::vector<std::string> strategies() {
  std::vector<std::string> names;
  for (const KernelVariant* variant : cuda_backend().variants()) {
    names.emplace_back(variant->name());
  }
  return names;
}

class FirstExecution : public TargetTestWithParam<std::tuple<std::string, Call>> {};

TEST_P(FirstExecution, DoesNotWaitForAnotherStream) {
  const auto& [strategy, call] = GetParam();
  const Support support = find_variant(cuda_backend(), strategy)
                              ->supports(Problem::create(call.desc).value(), cuda_device());
  if (!support.ok) GTEST_SKIP() << support.reason;
  const Result<Plan> plan = Plan::create(call.desc, cuda_options(strategy));
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  TrialSetup setup = random_trial(call.desc);
  setup.offsets = call.offsets;
  Trial trial(setup, target_memory());
  trial.reset();
  const GarbageWorkspace workspace(target_memory(), plan.value().workspace_bytes());
  TargetStream stream;
  TargetStream other;

  // One block without shared memory: there is room for everything beside it.
  SpinningGrid spinning(other.get(), 1, 0, {std::chrono::seconds(5)});
  ASSERT_TRUE(spinning.runs_within(std::chrono::seconds(2)));
  const Status status =
      plan.value().execute(trial.args(), workspace.data(), workspace.size(), stream.get());
  ASSERT_TRUE(status.ok()) << status.message();
  const bool ended = ends_within(std::chrono::seconds(2), stream.get());
  const bool beside = spinning.running();
  spinning.end();
  require_end(stream.get(), "the plan");

  EXPECT_TRUE(ended && beside) << plan.value().describe();
  EXPECT_TRUE(trial.check());
}

// Few rows and short ones, so that no launch needs all processors.
INSTANTIATE_TEST_SUITE_P(
    Strategies, FirstExecution,
    ::testing::Combine(
        ::testing::ValuesIn(strategies()),
        ::testing::Values(
            Call{"Short", layer_norm_desc({64, 1024}), {}},
            Call{"Long", with_type(layer_norm_desc({3, 65536}), DType::bf16), {}},
            Call{"OffItsBoundary", with_type(layer_norm_desc({16, 2000}), DType::f16), {1, 0}},
            Call{"ChannelsLast", channels_last(group_norm_desc({3, 24, 9, 7}, 6)), {}})),
    [](const auto& info) { return std::get<0>(info.param) + "_" + std::get<1>(info.param).name; });

}  // namespace
}  // namespace fastnorm::test
