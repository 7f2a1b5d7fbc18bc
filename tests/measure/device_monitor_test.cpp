// SPDX-License-Identifier: Apache-2.0
// The device at hand, as its own driver's library tells of it.
#include "core/backend.hpp"
#include "measure/monitor.hpp"
#include "measure/nvml.hpp"
#include "support/target.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace fastnorm::measure {
namespace {

class DeviceMonitor : public test::TargetTest {
 protected:
  void SetUp() override {
    test::TargetTest::SetUp();
    if (IsSkipped()) return;
    device_ = test::target_backends().front()->device(-1).value();
    const Result<NvmlDevice> opened = NvmlDevice::open(nvml_library, device_->pci_address);
    if (!opened.ok()) GTEST_SKIP() << opened.status().message();
  }

  const DeviceInfo* device_ = nullptr;
};

TEST_F(DeviceMonitor, ClockAndReasonsAreKnown) {
  const NvmlDevice nvml = NvmlDevice::open(nvml_library, device_->pci_address).value();
  ASSERT_TRUE(nvml.sm_clock_mhz());
  EXPECT_GT(*nvml.sm_clock_mhz(), 0);
  EXPECT_TRUE(nvml.reasons());
}

// A run watches some ten thousand measurements.
TEST_F(DeviceMonitor, WatchingCostsLittle) {
  const auto monitor = make_monitor(*device_);
  constexpr int measurements = 100;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < measurements; ++i) {
    monitor->begin();
    static_cast<void>(monitor->end());
  }
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  EXPECT_LT(took.count() / measurements, 2.0) << "ms";
}

}  // namespace
}  // namespace fastnorm::measure
