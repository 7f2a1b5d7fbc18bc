// SPDX-License-Identifier: Apache-2.0
// Which device a plan is for.
#include "support/device_memory.hpp"
#include "support/shapes.hpp"
#include "support/target.hpp"
#include "support/trial.hpp"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

namespace fastnorm::test {
namespace {

class DeviceOrdinal : public TargetTest {
 protected:
  static Result<Plan> create_on(int device) {
    PlanOptions options = target_options();
    options.device = device;
    return Plan::create(group_norm_desc({2, 8, 700}, 4), options);
  }

  static int current_device() {
    int device = -1;
    check_cuda(cudaGetDevice(&device), "cudaGetDevice");
    return device;
  }
};

TEST_F(DeviceOrdinal, MinusOneIsTheCurrentDevice) {
  const Result<Plan> plan = create_on(-1);
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_EQ(plan.value().device(), current_device());
}

TEST_F(DeviceOrdinal, OneThatIsNotThereIsInvalid) {
  const Result<Plan> plan = create_on(4711);
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.status().code(), StatusCode::invalid_argument);
  EXPECT_NE(plan.status().message().find("4711"), std::string::npos) << plan.status().message();
  EXPECT_EQ(cudaGetLastError(), cudaSuccess) << "the refusal has left an error behind";
}

TEST_F(DeviceOrdinal, TheCallersCurrentDeviceStays) {
  int count = 0;
  check_cuda(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  const int before = current_device();
  for (int device = 0; device < count; ++device) {
    const Result<Plan> plan = create_on(device);
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    EXPECT_EQ(plan.value().device(), device);
    EXPECT_EQ(current_device(), before);

    check_cuda(cudaSetDevice(device), "cudaSetDevice");
    Trial trial(random_trial(group_norm_desc({2, 8, 700}, 4)), target_memory());
    const GarbageWorkspace workspace(target_memory(), plan.value().workspace_bytes());
    check_cuda(cudaSetDevice(before), "cudaSetDevice");
    const Status status = plan.value().execute(trial.args(), workspace.data(), workspace.size());
    EXPECT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(current_device(), before);

    check_cuda(cudaSetDevice(device), "cudaSetDevice");
    EXPECT_TRUE(trial.check()) << "on device " << device;
    check_cuda(cudaSetDevice(before), "cudaSetDevice");
  }
}

}  // namespace
}  // namespace fastnorm::test
