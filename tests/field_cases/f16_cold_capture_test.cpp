// SPDX-License-Identifier: Apache-2.0
// F16: the first use of a problem happens inside a graph capture, with no plan in the cache, no
// kernel loaded and no workspace allocated. CTest runs each test in a process of its own, so that
// the library's first call is among them.
#include "field_cases/forced_strategies.hpp"
#include "support/captured_graph.hpp"
#include "support/plans.hpp"
#include "support/random.hpp"
#include "support/shapes.hpp"
#include "support/target.hpp"
#include "support/tolerance.hpp"
#include "support/trial.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace fastnorm::test {
namespace {

struct Mode {
  const char* name;
  cudaStreamCaptureMode mode;
  /// Of the forced strategies' tensors. Kernels are instantiated for it, so that what one mode has
  /// loaded is of no use to the next where a process runs all tests.
  DType type;
};

const std::vector<Mode>& modes() {
  static const std::vector<Mode> modes = {
      {"global", cudaStreamCaptureModeGlobal, DType::f32},
      {"thread_local", cudaStreamCaptureModeThreadLocal, DType::f16},
      {"relaxed", cudaStreamCaptureModeRelaxed, DType::bf16}};
  return modes;
}

/// The capture of a call, which may be the first of its problem.
class CapturedCall {
 public:
  CapturedCall(const NormDesc& desc, const PlanOptions& options, cudaStreamCaptureMode mode)
      : trial_(random_trial(desc), target_memory()), graph_(stream_.get()) {
    graph_.begin(mode);
    status_ = normalize(desc, trial_.args(), stream_.get(), options);
    graph_.end();  // Throws where the call has ended the capture.
  }

  const Status& status() const noexcept { return status_; }
  const CapturedGraph& graph() const noexcept { return graph_; }

  void expect_right_replays() {
    for (int replay = 0; replay < 2; ++replay) {
      trial_.reset();
      graph_.replay();
      EXPECT_TRUE(trial_.check()) << "replay " << replay;
    }
    // The graph reads the tensors' addresses, not their values at the time of the capture.
    const NormDesc& desc = trial_.setup().desc;
    NormInputs inputs = trial_.setup().inputs;
    inputs.x = normal_tensor(inputs.x.size(), 99, 3);
    trial_.overwrite_x(inputs.x);
    graph_.replay();
    const NormReference expected = reference(desc, inputs);
    EXPECT_TRUE(all_within("y", trial_.y(), expected.y, y_tolerance(desc, expected)));
  }

 private:
  Trial trial_;
  TargetStream stream_;
  CapturedGraph graph_;
  Status status_;
};

// First, since what the library chooses for itself is one of them.
class F16ForcedColdCapture : public TargetTestWithParam<std::tuple<ForcedStrategy, Mode>> {};

TEST_P(F16ForcedColdCapture, IsReplayedOnOtherValues) {
  const Mode& mode = std::get<Mode>(GetParam());
  ForcedStrategy forced = std::get<ForcedStrategy>(GetParam());
  forced.desc = with_type(forced.desc, mode.type);
  CapturedCall call(forced.desc, forced.options(), mode.mode);
  // Asked only now: nothing is to come before the capture.
  if (const Support support = forced.support(); !support.ok) {
    EXPECT_EQ(call.status().code(), StatusCode::unsupported) << call.status().message();
    GTEST_SKIP() << support.reason;
  }
  ASSERT_TRUE(call.status().ok()) << call.status().message();
  EXPECT_TRUE(forced.is_among(call.graph().kernels())) << "another strategy's kernel ran";
  call.expect_right_replays();
}

INSTANTIATE_TEST_SUITE_P(StrategiesAndModes, F16ForcedColdCapture,
                         ::testing::Combine(::testing::ValuesIn(forced_strategies()),
                                            ::testing::ValuesIn(modes())),
                         [](const auto& info) {
                           return std::get<ForcedStrategy>(info.param).name + "_" +
                                  std::get<Mode>(info.param).name;
                         });

class F16ColdCapture : public TargetTestWithParam<Mode> {
 protected:
  static void check(const std::vector<NormDesc>& problems) {
    for (const NormDesc& desc : problems) {
      SCOPED_TRACE(to_text(desc));
      CapturedCall call(desc, target_options(), GetParam().mode);
      ASSERT_TRUE(call.status().ok()) << call.status().message();
      call.expect_right_replays();
    }
  }
};

TEST_P(F16ColdCapture, OneBlockARow) {
  check({layer_norm_desc({64, 1000}), with_type(rms_norm_desc({64, 1024}), DType::bf16)});
}

// Split rows need a workspace, which has to be allocated while the capture goes on.
TEST_P(F16ColdCapture, FewLongRows) {
  check({group_norm_desc({1, 2, 700001}, 1), with_type(layer_norm_desc({2, 500000}), DType::f16)});
}

INSTANTIATE_TEST_SUITE_P(Modes, F16ColdCapture, ::testing::ValuesIn(modes()),
                         [](const auto& info) { return std::string(info.param.name); });

using F16Strategies = TargetTest;

TEST_F(F16Strategies, AreAllOfTheBackEnd) {
  const std::vector<ForcedStrategy> forced = forced_strategies();
  for (const KernelVariant* variant : cuda_backend().variants()) {
    const auto is_forced = [&](const ForcedStrategy& one) {
      return one.strategy == variant->name();
    };
    EXPECT_TRUE(std::any_of(forced.begin(), forced.end(), is_forced)) << variant->name();
  }
}

TEST_F(F16Strategies, WaitForOtherBlocksAsTheyAreListed) {
  for (const bool waiting : {true, false}) {
    for (const ForcedStrategy& one : waiting ? waiting_strategies() : independent_strategies()) {
      if (!one.support().ok) continue;
      const Result<Plan> plan = Plan::create(one.desc, one.options());
      ASSERT_TRUE(plan.ok()) << one.name << ": " << plan.status().message();
      EXPECT_EQ(needs_coresidency(plan.value()), waiting) << plan.value().describe();
    }
  }
}

}  // namespace
}  // namespace fastnorm::test
