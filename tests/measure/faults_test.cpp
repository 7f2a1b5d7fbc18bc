// SPDX-License-Identifier: Apache-2.0
// What a workbench makes of measurements that cannot be right, and of too little memory.
#include "core/backend.hpp"
#include "measure/faulty_space.hpp"
#include "measure/workbench.hpp"
#include "support/shapes.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

namespace fastnorm::measure {
namespace {

class Faulty : public ::testing::Test {
 protected:
  Faulty() {
    auto space =
        std::make_unique<test::FaultySpace>(make_host_space(DeviceInfo{}).value(), faults_);
    space_ = space.get();
    workbench_ = std::make_unique<Workbench>(std::move(space));
  }

  Status load(const NormDesc& desc = test::layer_norm_desc({64, 1000})) {
    return workbench_->load(desc, Affine::present, 1);
  }

  /// Of a call of the loaded problem that takes as long as a copy, but for the faults.
  Status check(double us_in_copies) {
    const std::int64_t moved = 2 * 64 * 1000 * 4;
    const double us = us_in_copies * workbench_->copy_us(moved).value();
    return workbench_->check_plausible(us);
  }

  test::Faults faults_;
  test::FaultySpace* space_ = nullptr;
  std::unique_ptr<Workbench> workbench_;
};

TEST_F(Faulty, TimesOfACopyAndAboveArePlausible) {
  ASSERT_TRUE(load().ok());
  EXPECT_TRUE(check(1).ok());
  EXPECT_TRUE(check(100).ok());
  EXPECT_TRUE(check(0.96).ok());
  EXPECT_EQ(space_->copies(), 1) << "nothing that would have to be looked at again";
}

TEST_F(Faulty, NoTimeAtAllIsNot) {
  ASSERT_TRUE(load().ok());
  EXPECT_EQ(check(0).code(), StatusCode::device_error);
  EXPECT_EQ(check(-1).code(), StatusCode::device_error);
}

TEST_F(Faulty, TimesFarBelowTheCopyAreNot) {
  ASSERT_TRUE(load().ok());
  const Status status = check(0.01);
  EXPECT_EQ(status.code(), StatusCode::device_error);
  EXPECT_NE(status.message().find("where a copy of the same bytes takes"), std::string::npos)
      << status.message();
  EXPECT_EQ(space_->copies(), 2) << "the copy is timed again before that is said";
}

TEST_F(Faulty, ACopyThatWasSlowedDownCostsNoCallItsTime) {
  faults_.first_copy_factor = 1000;
  ASSERT_TRUE(load().ok());
  EXPECT_TRUE(check(0.01).ok()) << "ten copies' time";
  EXPECT_EQ(space_->copies(), 2);
  EXPECT_TRUE(check(2).ok());
  EXPECT_EQ(space_->copies(), 2) << "the shorter time is kept";
}

// A busy machine's median says little of what a copy can take.
TEST_F(Faulty, OneSampleOfACopyIsEnoughToBelieveACallsTime) {
  faults_.first_copy_factor = 1000;
  faults_.spared_samples = 1;
  ASSERT_TRUE(load().ok());
  EXPECT_TRUE(check(0.1).ok()) << "a tenth of the median";
  EXPECT_EQ(space_->copies(), 1);
}

TEST_F(Faulty, MemoryThatFlushesCachesIsGivenUpForTensors) {
  faults_.available_bytes = std::int64_t{200} << 20;
  const Status without = load();
  EXPECT_EQ(without.code(), StatusCode::out_of_memory);
  EXPECT_NE(without.message().find("are free"), std::string::npos) << without.message();
  faults_.releasable_bytes = std::int64_t{100} << 20;
  EXPECT_TRUE(load().ok());
}

}  // namespace
}  // namespace fastnorm::measure
