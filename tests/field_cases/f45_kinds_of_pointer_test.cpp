// SPDX-License-Identifier: Apache-2.0
// F45: managed, pinned, device and plain memory, mixed in one call.
#include "support/device_memory.hpp"
#include "support/shapes.hpp"
#include "support/target.hpp"
#include "support/tolerance.hpp"
#include "support/trial.hpp"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <memory>

namespace fastnorm::test {
namespace {

using Release = void (*)(void*);
using Block = std::unique_ptr<float, Release>;

Block managed(std::size_t count) {
  void* block = nullptr;
  check_cuda(cudaMallocManaged(&block, count * sizeof(float)), "cudaMallocManaged");
  return {static_cast<float*>(block), [](void* p) { static_cast<void>(cudaFree(p)); }};
}

Block pinned(std::size_t count) {
  void* block = nullptr;
  check_cuda(cudaMallocHost(&block, count * sizeof(float)), "cudaMallocHost");
  return {static_cast<float*>(block), [](void* p) { static_cast<void>(cudaFreeHost(p)); }};
}

Block on_device(std::size_t count) {
  return {static_cast<float*>(device_memory().allocate(count * sizeof(float))),
          [](void* p) { device_memory().release(p); }};
}

Block plain(std::size_t count) {
  return {static_cast<float*>(std::malloc(count * sizeof(float))), &std::free};
}

class F45KindsOfPointer : public TargetTest {
 protected:
  void SetUp() override {
    TargetTest::SetUp();
    if (IsSkipped()) return;
    int pageable = 0;
    check_cuda(cudaDeviceGetAttribute(&pageable, cudaDevAttrPageableMemoryAccess, 0),
               "cudaDeviceGetAttribute");
    plain_memory_is_accessible_ = pageable != 0;
  }

  static NormArgs call(const Block& x, const Block& y, const Block* gamma = nullptr) {
    NormArgs args;
    args.x = x.get();
    args.y = y.get();
    if (gamma != nullptr) args.gamma = gamma->get();
    return args;
  }

  static void fill(const Block& block, const Values& values) {
    std::transform(values.begin(), values.end(), block.get(),
                   [](double value) { return static_cast<float>(value); });
  }

  NormDesc desc_ = group_norm_desc({2, 8, 100}, 4);
  NormInputs inputs_ = random_trial(desc_).inputs;
  bool plain_memory_is_accessible_ = false;
};

TEST_F(F45KindsOfPointer, ManagedPinnedAndDeviceTogether) {
  inputs_.beta.reset();
  const std::size_t count = inputs_.x.size();
  const Block x = managed(count);
  const Block y = pinned(count);
  const Block gamma = on_device(inputs_.gamma->size());
  fill(x, inputs_.x);
  std::fill_n(y.get(), count, std::numeric_limits<float>::quiet_NaN());
  const std::vector<std::uint8_t> gammas = encode(DType::f32, *inputs_.gamma);
  device_memory().write(gamma.get(), gammas.data(), gammas.size());

  // Managed memory alone says that the call is the device's.
  const Status status = normalize(desc_, call(x, y, &gamma));
  ASSERT_TRUE(status.ok()) << status.message();
  check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  const NormReference expected = reference(desc_, inputs_);
  EXPECT_TRUE(
      all_within("y", Values(y.get(), y.get() + count), expected.y, y_tolerance(desc_, expected)));
}

TEST_F(F45KindsOfPointer, PlainMemoryIsRefusedByNameWhereTheDeviceCannotReachIt) {
  if (plain_memory_is_accessible_) GTEST_SKIP() << "this device reads plain host memory";
  const std::size_t count = inputs_.x.size();
  const Block x = on_device(count);
  const Block y = on_device(count);
  const Block host = plain(count);
  const NormArgs good = call(x, y);

  const auto expect_refusal = [&](const NormArgs& args, const std::string& name) {
    const Status status = normalize(desc_, args, {}, target_options());
    EXPECT_EQ(status.code(), StatusCode::invalid_argument);
    EXPECT_EQ(status.message().find(name), 0U) << status.message();
    EXPECT_NE(status.message().find("not accessible from this device"), std::string::npos)
        << status.message();
  };
  NormArgs args = good;
  args.x = host.get();
  expect_refusal(args, "x=");
  args = good;
  args.y = host.get();
  expect_refusal(args, "y=");
  args = good;
  args.gamma = host.get();
  expect_refusal(args, "gamma=");
  args = good;
  args.beta = host.get();
  expect_refusal(args, "beta=");
  args = good;
  args.mean = host.get();
  expect_refusal(args, "mean=");
  args = good;
  args.rstd = host.get();
  expect_refusal(args, "rstd=");

  // The refusals have left no error behind.
  EXPECT_TRUE(normalize(desc_, good).ok());
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(F45KindsOfPointer, PlainMemoryGivenToADevicePlanIsAnErrorOrWorks) {
  const std::size_t count = inputs_.x.size();
  const Block x = plain(count);
  const Block y = plain(count);
  fill(x, inputs_.x);
  const Status status = normalize(desc_, call(x, y), {}, target_options());
  EXPECT_EQ(status.ok(), plain_memory_is_accessible_) << status.message();
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

bool has_host_backend() {
  for (const Backend* backend : backends()) {
    if (backend->memory() == MemorySpace::host) return true;
  }
  return false;
}

TEST_F(F45KindsOfPointer, DeviceMemoryGivenToTheHostIsRefusedByName) {
  if (!has_host_backend()) GTEST_SKIP() << "this build has no back end for the host";
  Trial trial(random_trial(desc_), host_memory());
  const Block beta = on_device(inputs_.beta->size());
  NormArgs args = trial.args();
  args.beta = beta.get();
  PlanOptions options;
  options.memory = MemorySpace::host;
  const Status status = normalize(desc_, args, {}, options);
  EXPECT_EQ(status.code(), StatusCode::invalid_argument);
  EXPECT_EQ(status.message().find("beta="), 0U) << status.message();
  EXPECT_TRUE(trial.untouched());
}

TEST_F(F45KindsOfPointer, PlainMemoryAloneRunsOnTheHost) {
  if (!has_host_backend()) GTEST_SKIP() << "this build has no back end for the host";
  Trial trial(random_trial(desc_), host_memory());
  EXPECT_TRUE(run_normalize(trial, {}));
}

}  // namespace
}  // namespace fastnorm::test
