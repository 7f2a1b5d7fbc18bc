// F16: the first use of a problem happens inside a graph capture, with no plan in the cache, no
// kernel loaded and no workspace allocated. CTest runs each test in a process of its own, so that
// the library's first call is among them.
#include "support/captured_graph.hpp"
#include "support/random.hpp"
#include "support/shapes.hpp"
#include "support/target.hpp"
#include "support/tolerance.hpp"
#include "support/trial.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace fastnorm::test {
namespace {

struct Mode {
  const char* name;
  cudaStreamCaptureMode mode;
};

class F16ColdCapture : public TargetTestWithParam<Mode> {
 protected:
  /// Captures the first call of each problem, and replays it on tensors with other values.
  static void check(const std::vector<NormDesc>& problems) {
    for (const NormDesc& desc : problems) {
      SCOPED_TRACE(to_text(desc));
      Trial trial(random_trial(desc), target_memory());
      TargetStream stream;
      CapturedGraph graph(stream.get());
      graph.begin(GetParam().mode);
      const Status status = normalize(desc, trial.args(), stream.get(), target_options());
      graph.end();
      ASSERT_TRUE(status.ok()) << status.message();
      for (int replay = 0; replay < 2; ++replay) {
        trial.reset();
        graph.replay();
        EXPECT_TRUE(trial.check()) << "replay " << replay;
      }
      // The graph reads the tensors' addresses, not their values at the time of the capture.
      const NormArgs args = trial.args();
      const Values x = normal_tensor(trial.setup().inputs.x.size(), 99, 3);
      const std::vector<std::uint8_t> bytes = encode(desc.x_type, x);
      trial.memory().write(const_cast<void*>(args.x), bytes.data(), bytes.size());
      graph.replay();
      NormInputs inputs = trial.setup().inputs;
      inputs.x = x;
      const NormReference expected = reference(desc, inputs);
      EXPECT_TRUE(all_within("y", trial.y(), expected.y, y_tolerance(desc, expected)));
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

INSTANTIATE_TEST_SUITE_P(Modes, F16ColdCapture,
                         ::testing::Values(Mode{"global", cudaStreamCaptureModeGlobal},
                                           Mode{"thread_local", cudaStreamCaptureModeThreadLocal},
                                           Mode{"relaxed", cudaStreamCaptureModeRelaxed}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace fastnorm::test
