// SPDX-License-Identifier: Apache-2.0
// What a plan does where the chosen strategy cannot be prepared, or cannot be launched.
#include "core/dispatcher.hpp"
#include "core/plan_impl.hpp"
#include "core/problem.hpp"
#include "fake_backend.hpp"
#include "support/shapes.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fastnorm {
namespace {

using test::FakeBackend;
using test::FakeVariant;

bool contains(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

const Status no_room(StatusCode::unsupported, "132 blocks needed, 66 there");
const Status broken(StatusCode::device_error, "the device is broken");

class CreatePlan : public ::testing::Test {
 protected:
  FakeVariant slow_{"slow", 30};
  FakeVariant quick_{"quick", 10};
  FakeBackend backend_{"fake-host", {&quick_, &slow_}};
  Problem problem_ = Problem::create(test::group_norm_desc({2, 8, 64}, 4)).value();

  Result<Plan> create(const PlanOptions& options = {}, const TuningDb& db = {}) const {
    return create_plan(problem_, {{&backend_, &backend_.device_info()}}, db, options);
  }

  Status execute(const Plan& plan) const {
    std::vector<float> x(static_cast<std::size_t>(problem_.rows() * problem_.row_len()), 1.0F);
    std::vector<float> y(x.size());
    NormArgs args;
    args.x = x.data();
    args.y = y.data();
    return plan.execute(args, nullptr, 0);
  }
};

TEST_F(CreatePlan, TheNextStrategyIsTakenAndTheReasonKept) {
  EXPECT_EQ(create().value().strategy(), "quick");
  quick_.preparation = no_room;
  const Result<Plan> plan = create();
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_EQ(plan.value().strategy(), "slow");
  EXPECT_TRUE(contains(plan.value().describe(), "quick: " + no_room.message()))
      << plan.value().describe();
  EXPECT_TRUE(execute(plan.value()).ok());
  EXPECT_EQ(slow_.launches.count, 1);
  EXPECT_EQ(quick_.launches.count, 0);
}

TEST_F(CreatePlan, AStrategyIsPreparedForAnyPointersOrNotAtAll) {
  quick_.fallback_preparation = no_room;
  EXPECT_EQ(create().value().strategy(), "slow");
}

TEST_F(CreatePlan, AnEntryOfTheDatabaseIsNoForcedChoice) {
  TuningEntry entry;
  entry.key.backend = "fake-host";
  entry.key.deterministic = true;
  entry.shape = TuningShape::of(problem_);
  entry.strategy = "slow";
  entry.config = {{"threads", "64"}};
  entry.stats.median_us = 5;
  TuningFile file;
  file.device = DeviceKey::of(backend_.device_info());
  file.source = "test.yaml";
  file.entries = {entry};
  const TuningDb db({file});
  EXPECT_EQ(create({}, db).value().strategy(), "slow");
  slow_.preparation = no_room;
  EXPECT_EQ(create({}, db).value().strategy(), "quick");
}

TEST_F(CreatePlan, AForcedStrategyIsNotReplaced) {
  quick_.preparation = no_room;
  PlanOptions options;
  options.strategy = "quick";
  const Status status = create(options).status();
  EXPECT_EQ(status.code(), StatusCode::unsupported);
  EXPECT_EQ(status.message(), no_room.message());
}

TEST_F(CreatePlan, OtherFailuresAreReported) {
  quick_.preparation = broken;
  const Status status = create().status();
  EXPECT_EQ(status.code(), StatusCode::device_error);
  EXPECT_EQ(status.message(), broken.message());
}

TEST_F(CreatePlan, WhereNoneCanBePreparedAllReasonsAreSaid) {
  quick_.preparation = no_room;
  slow_.preparation = Status(StatusCode::unsupported, "too slow");
  const Status status = create().status();
  EXPECT_EQ(status.code(), StatusCode::unsupported);
  EXPECT_TRUE(contains(status.message(), no_room.message())) << status.message();
  EXPECT_TRUE(contains(status.message(), "too slow")) << status.message();
}

TEST_F(CreatePlan, NothingIsPreparedForNoElements) {
  problem_ = Problem::create(test::group_norm_desc({0, 8, 64}, 4)).value();
  quick_.preparation = no_room;
  const Plan plan = create().value();
  EXPECT_EQ(plan.strategy(), "quick");
  EXPECT_TRUE(execute(plan).ok());
}

TEST_F(CreatePlan, WhereTheDeviceHasNoRoomAnyMoreTheOtherExecutableRuns) {
  const Plan plan = create().value();
  quick_.launches.answer = no_room;
  EXPECT_TRUE(execute(plan).ok());
  EXPECT_EQ(quick_.launches.count, 1);
  EXPECT_EQ(quick_.fallback_launches.count, 1);

  quick_.launches.answer = {};
  EXPECT_TRUE(execute(plan).ok());
  EXPECT_EQ(quick_.launches.count, 2);
  EXPECT_EQ(quick_.fallback_launches.count, 1);
}

TEST_F(CreatePlan, PointersThatItDoesNotAcceptAreTheOtherExecutables) {
  const Plan plan = create().value();
  quick_.launches.accepts = false;
  EXPECT_TRUE(execute(plan).ok());
  EXPECT_EQ(quick_.launches.count, 0);
  EXPECT_EQ(quick_.fallback_launches.count, 1);
}

TEST_F(CreatePlan, AFailedLaunchIsNotRepeated) {
  const Plan plan = create().value();
  quick_.launches.answer = broken;
  EXPECT_EQ(execute(plan).code(), StatusCode::device_error);
  EXPECT_EQ(quick_.fallback_launches.count, 0);
}

TEST_F(CreatePlan, ARefusedLaunchWithoutAnotherIsReported) {
  quick_.launches.answer = no_room;
  quick_.fallback_launches.answer = no_room;
  EXPECT_EQ(execute(create().value()).message(), no_room.message());
  quick_.has_fallback = false;
  EXPECT_EQ(execute(create().value()).message(), no_room.message());
}

}  // namespace
}  // namespace fastnorm
