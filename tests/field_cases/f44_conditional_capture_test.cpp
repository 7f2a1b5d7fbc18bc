// F44: captured into the body of a conditional node, where graphs allow kernels and little else.
// Blocks that wait for each other are what a body need not allow, so callers can exclude them.
#include "support/captured_graph.hpp"
#include "support/plans.hpp"
#include "support/shapes.hpp"
#include "support/target.hpp"
#include "support/trial.hpp"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

namespace fastnorm::test {
namespace {

#if CUDART_VERSION >= 12040

/// Adds an IF node whose condition holds, and returns its body.
cudaGraph_t add_conditional(cudaGraph_t graph) {
  cudaGraphConditionalHandle condition{};
  constexpr unsigned holds = 1;
  check_cuda(cudaGraphConditionalHandleCreate(&condition, graph, holds, cudaGraphCondAssignDefault),
             "cudaGraphConditionalHandleCreate");
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeConditional;
  params.conditional.handle = condition;
  params.conditional.type = cudaGraphCondTypeIf;
  params.conditional.size = 1;
  cudaGraphNode_t node = nullptr;
#if CUDART_VERSION >= 13000
  check_cuda(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params), "cudaGraphAddNode");
#else
  check_cuda(cudaGraphAddNode(&node, graph, nullptr, 0, &params), "cudaGraphAddNode");
#endif
  return params.conditional.phGraph_out[0];
}

class F44ConditionalCapture : public TargetTestWithParam<NormDesc> {
 protected:
  void expect_right_replays(const NormDesc& desc, const PlanOptions& options);
};

void F44ConditionalCapture::expect_right_replays(const NormDesc& desc, const PlanOptions& options) {
  Trial trial(random_trial(desc), target_memory());
  TargetStream stream;
  CapturedGraph graph(stream.get());
  const cudaGraph_t body = add_conditional(graph.make_empty());
  const auto handle = static_cast<cudaStream_t>(stream.get().handle);
  check_cuda(cudaStreamBeginCaptureToGraph(handle, body, nullptr, nullptr, 0,
                                           cudaStreamCaptureModeThreadLocal),
             "cudaStreamBeginCaptureToGraph");
  const Status status = normalize(desc, trial.args(), stream.get(), options);
  cudaGraph_t captured = nullptr;
  check_cuda(cudaStreamEndCapture(handle, &captured), "cudaStreamEndCapture");
  ASSERT_TRUE(status.ok()) << status.message();
  for (int replay = 0; replay < 3; ++replay) {
    trial.reset();
    graph.replay();
    EXPECT_TRUE(trial.check()) << "replay " << replay;
  }
}

TEST_P(F44ConditionalCapture, TheBodyComputesOnEveryReplay) {
  expect_right_replays(GetParam(), target_options());
}

TEST_P(F44ConditionalCapture, SoItDoesWithoutBlocksThatWaitForEachOther) {
  PlanOptions options = target_options();
  options.launches = Launches::independent_blocks;
  const Result<Plan> plan = Plan::create(GetParam(), options);
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_FALSE(needs_coresidency(plan.value())) << plan.value().describe();
  expect_right_replays(GetParam(), options);
}

INSTANTIATE_TEST_SUITE_P(Shapes, F44ConditionalCapture,
                         ::testing::Values(layer_norm_desc({64, 1000}), layer_norm_desc({8, 65536}),
                                           group_norm_desc({1, 2, 700001}, 1),
                                           with_type(rms_norm_desc({64, 1024}), DType::bf16)),
                         [](const auto& info) { return to_identifier(info.param); });

#endif

}  // namespace
}  // namespace fastnorm::test
