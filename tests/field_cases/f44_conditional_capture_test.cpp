// SPDX-License-Identifier: Apache-2.0
// F44: captured into the body of a conditional node, where graphs allow kernels and little else.
// Blocks that wait for each other are what a body need not allow, so callers can exclude them.
#include "field_cases/countdown.hpp"
#include "field_cases/forced_strategies.hpp"
#include "support/captured_graph.hpp"
#include "support/plans.hpp"
#include "support/shapes.hpp"
#include "support/target.hpp"
#include "support/tolerance.hpp"
#include "support/trial.hpp"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fastnorm::test {
namespace {

#if CUDART_VERSION >= 12040

/// A graph that is one conditional node, whose condition holds when it is launched.
class ConditionalGraph {
 public:
  explicit ConditionalGraph(cudaGraphConditionalNodeType type) : graph_(stream_.get()) {
    const cudaGraph_t graph = graph_.make_empty();
    constexpr unsigned holds = 1;
    check_cuda(
        cudaGraphConditionalHandleCreate(&condition_, graph, holds, cudaGraphCondAssignDefault),
        "cudaGraphConditionalHandleCreate");
    cudaGraphNodeParams params{};
    params.type = cudaGraphNodeTypeConditional;
    params.conditional.handle = condition_;
    params.conditional.type = type;
    params.conditional.size = 1;
    cudaGraphNode_t node = nullptr;
#if CUDART_VERSION >= 13000
    check_cuda(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params), "cudaGraphAddNode");
#else
    check_cuda(cudaGraphAddNode(&node, graph, nullptr, 0, &params), "cudaGraphAddNode");
#endif
    body_ = params.conditional.phGraph_out[0];
  }

  Stream stream() const { return stream_.get(); }
  cudaGraphConditionalHandle condition() const noexcept { return condition_; }

  /// What follows on the stream is the body's.
  void begin_body() {
    check_cuda(cudaStreamBeginCaptureToGraph(native(), body_, nullptr, nullptr, 0,
                                             cudaStreamCaptureModeThreadLocal),
               "cudaStreamBeginCaptureToGraph");
  }

  /// Throws where the capture has been invalidated.
  void end_body() {
    cudaGraph_t captured = nullptr;
    check_cuda(cudaStreamEndCapture(native(), &captured), "cudaStreamEndCapture");
  }

  std::vector<CapturedGraph::Kernel> kernels_of_body() const {
    return CapturedGraph::kernels_of(body_);
  }

  void replay() { graph_.replay(); }

 private:
  cudaStream_t native() const { return static_cast<cudaStream_t>(stream_.get().handle); }

  TargetStream stream_;
  CapturedGraph graph_;
  cudaGraphConditionalHandle condition_{};
  cudaGraph_t body_ = nullptr;
};

/// A call in the body of an IF node.
class ConditionalCall {
 public:
  ConditionalCall(const NormDesc& desc, const PlanOptions& options)
      : trial_(random_trial(desc), target_memory()) {
    graph_.begin_body();
    status_ = normalize(desc, trial_.args(), graph_.stream(), options);
    graph_.end_body();
  }

  const Status& status() const noexcept { return status_; }
  const ConditionalGraph& graph() const noexcept { return graph_; }

  void expect_right_replays() {
    ASSERT_TRUE(status_.ok()) << status_.message();
    for (int replay = 0; replay < 3; ++replay) {
      trial_.reset();
      graph_.replay();
      EXPECT_TRUE(trial_.check()) << "replay " << replay;
    }
  }

 private:
  Trial trial_;
  ConditionalGraph graph_{cudaGraphCondTypeIf};
  Status status_;
};

class F44ConditionalCapture : public TargetTestWithParam<NormDesc> {};

TEST_P(F44ConditionalCapture, TheBodyComputesOnEveryReplay) {
  ConditionalCall(GetParam(), target_options()).expect_right_replays();
}

TEST_P(F44ConditionalCapture, SoItDoesWithoutBlocksThatWaitForEachOther) {
  PlanOptions options = target_options();
  options.launches = Launches::independent_blocks;
  const Result<Plan> plan = Plan::create(GetParam(), options);
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_FALSE(needs_coresidency(plan.value())) << plan.value().describe();
  ConditionalCall(GetParam(), options).expect_right_replays();
}

INSTANTIATE_TEST_SUITE_P(Shapes, F44ConditionalCapture,
                         ::testing::Values(layer_norm_desc({64, 1000}), layer_norm_desc({8, 65536}),
                                           group_norm_desc({1, 2, 700001}, 1),
                                           with_type(rms_norm_desc({64, 1024}), DType::bf16),
                                           channels_last_desc()),
                         [](const auto& info) { return to_identifier(info.param); });

class F44Forced : public TargetTestWithParam<ForcedStrategy> {
 protected:
  void SetUp() override {
    TargetTestWithParam<ForcedStrategy>::SetUp();
    if (IsSkipped()) return;
    if (const Support support = GetParam().support(); !support.ok) GTEST_SKIP() << support.reason;
  }
};

const auto name_of_strategy = [](const auto& info) { return info.param.name; };

class F44ForcedStrategy : public F44Forced {};

TEST_P(F44ForcedStrategy, ComputesInABody) {
  ConditionalCall call(GetParam().desc, GetParam().options());
  EXPECT_TRUE(GetParam().is_among(call.graph().kernels_of_body())) << "not the one that was named";
  call.expect_right_replays();
}

INSTANTIATE_TEST_SUITE_P(Strategies, F44ForcedStrategy, ::testing::ValuesIn(forced_strategies()),
                         name_of_strategy);

class F44WaitingStrategy : public F44Forced {
 protected:
  static TrialSetup in_place() {
    TrialSetup setup = random_trial(GetParam().desc);
    setup.output = Output::in_place;
    return setup;
  }
};

// In place, so that an iteration more or less would show.
TEST_P(F44WaitingStrategy, LoopsInABody) {
  constexpr unsigned int iterations = 5;
  const NormDesc& desc = GetParam().desc;
  const PlanOptions options = GetParam().options();

  Trial in_turn(in_place(), target_memory());
  TargetStream stream;
  ASSERT_TRUE(run_normalize(in_turn, options, stream.get()));
  for (unsigned int i = 1; i < iterations; ++i) {
    const Status status = normalize(desc, in_turn.args(), stream.get(), options);
    ASSERT_TRUE(status.ok()) << status.message();
  }
  stream.synchronize();

  Trial in_loop(in_place(), target_memory());
  Countdown countdown;
  ConditionalGraph graph(cudaGraphCondTypeWhile);
  graph.begin_body();
  const Status status = normalize(desc, in_loop.args(), graph.stream(), options);
  countdown.enqueue(graph.condition(), graph.stream());
  graph.end_body();
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_TRUE(GetParam().is_among(graph.kernels_of_body())) << "not the one that was named";
  for (int replay = 0; replay < 2; ++replay) {
    in_loop.reset();
    countdown.start(iterations);
    graph.replay();
    EXPECT_EQ(countdown.left(), 0U);
    EXPECT_TRUE(same_bits("y", in_loop.y(), in_turn.y())) << "replay " << replay;
  }
}

// Named by the caller and excluded by the caller: nothing comes into the body, and the capture goes
// on.
TEST_P(F44WaitingStrategy, IsACleanStatusWhereItIsExcluded) {
  PlanOptions options = GetParam().options();
  options.launches = Launches::independent_blocks;
  const ConditionalCall call(GetParam().desc, options);
  EXPECT_EQ(call.status().code(), StatusCode::unsupported) << call.status().message();
  EXPECT_NE(call.status().message().find("independent_blocks"), std::string::npos)
      << call.status().message();
  EXPECT_TRUE(call.graph().kernels_of_body().empty());
}

INSTANTIATE_TEST_SUITE_P(Strategies, F44WaitingStrategy, ::testing::ValuesIn(waiting_strategies()),
                         name_of_strategy);

#endif

}  // namespace
}  // namespace fastnorm::test
