// SPDX-License-Identifier: Apache-2.0
// F19: buffers and stream on one device, while another is the current one.
#include "support/device_memory.hpp"
#include "support/shapes.hpp"
#include "support/target.hpp"
#include "support/trial.hpp"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace fastnorm::test {
namespace {

class F19DeviceSelection : public TargetTest {
 protected:
  void SetUp() override {
    TargetTest::SetUp();
    if (IsSkipped()) return;
    int count = 0;
    check_cuda(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
    if (count < 2) GTEST_SKIP() << "two devices are needed, and there is one";
    check_cuda(cudaGetDevice(&before_), "cudaGetDevice");
  }

  void TearDown() override {
    if (before_ >= 0) static_cast<void>(cudaSetDevice(before_));
    TargetTest::TearDown();
  }

  /// A call whose tensors and stream are on `home`, made while `current` is selected.
  static void check(int home, int current) {
    for (const NormDesc& desc : {layer_norm_desc({64, 1000}), group_norm_desc({1, 2, 700001}, 1)}) {
      SCOPED_TRACE(to_text(desc) + " on device " + std::to_string(home));
      check_cuda(cudaSetDevice(home), "cudaSetDevice");
      const auto trial = std::make_unique<Trial>(random_trial(desc), target_memory());
      const auto stream = std::make_unique<TargetStream>();
      check_cuda(cudaSetDevice(current), "cudaSetDevice");

      const Status status = normalize(desc, trial->args(), stream->get(), target_options());
      int after = -1;
      check_cuda(cudaGetDevice(&after), "cudaGetDevice");
      EXPECT_EQ(after, current) << "the caller's device has changed";

      check_cuda(cudaSetDevice(home), "cudaSetDevice");
      ASSERT_TRUE(status.ok()) << status.message();
      stream->synchronize();
      EXPECT_TRUE(trial->check());
    }
  }

 private:
  int before_ = -1;
};

TEST_F(F19DeviceSelection, TensorsOnTheSecondWhileTheFirstIsCurrent) { check(1, 0); }
TEST_F(F19DeviceSelection, TensorsOnTheFirstWhileTheSecondIsCurrent) { check(0, 1); }

TEST_F(F19DeviceSelection, APlanIsForTheDeviceItNames) {
  check_cuda(cudaSetDevice(0), "cudaSetDevice");
  PlanOptions options = target_options();
  options.device = 1;
  const Result<Plan> plan = Plan::create(layer_norm_desc({8, 96}), options);
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_EQ(plan.value().device(), 1);
  int after = -1;
  check_cuda(cudaGetDevice(&after), "cudaGetDevice");
  EXPECT_EQ(after, 0);
}

}  // namespace
}  // namespace fastnorm::test
