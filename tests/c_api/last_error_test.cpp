// SPDX-License-Identifier: Apache-2.0
// Whose message it is, and how long it holds.
#include "c_api/last_error.hpp"

#include <fastnorm/fastnorm.h>

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>

namespace fastnorm::c_api {
namespace {

/// A call that fails on any machine.
fastnorm_status fail() { return fastnorm_plan_create(nullptr, nullptr, nullptr); }
constexpr const char* message_of_failure = "plan is null; it must point to where the handle goes";

/// Fails when the main thread has nothing left that is its own.
struct FailsWhenDestroyed {
  ~FailsWhenDestroyed() {
    if (!is_armed) return;
    const bool right =
        fail() == FASTNORM_INVALID_ARGUMENT &&
        std::string(fastnorm_last_error()) == "the thread is ending, and keeps no message any more";
    // Too late for a test's verdict; the program's exit status is one, too.
    if (!right) {
      std::fprintf(stderr, "at exit: %s\n", fastnorm_last_error());
      std::_Exit(EXIT_FAILURE);
    }
  }
  bool is_armed = false;
} fails_when_destroyed;

TEST(LastError, IsEmptyAtFirst) {
  std::thread([] { EXPECT_STREQ(fastnorm_last_error(), ""); }).join();
}

TEST(LastError, EachThreadHasItsOwn) {
  EXPECT_EQ(fail(), FASTNORM_INVALID_ARGUMENT);
  std::thread([] {
    EXPECT_STREQ(fastnorm_last_error(), "");
    EXPECT_EQ(fastnorm_plan_execute(nullptr, nullptr, nullptr, 0, nullptr),
              FASTNORM_INVALID_ARGUMENT);
    EXPECT_STRNE(fastnorm_last_error(), message_of_failure);
  }).join();
  EXPECT_STREQ(fastnorm_last_error(), message_of_failure);
}

TEST(LastError, SuccessLeavesItAsItIs) {
  EXPECT_EQ(fail(), FASTNORM_INVALID_ARGUMENT);
  EXPECT_EQ(guarded([] { return Status(); }), FASTNORM_OK);
  EXPECT_STREQ(fastnorm_last_error(), message_of_failure);
}

TEST(LastError, HasTheWholeMessage) {
  const std::string message(100000, 'x');
  EXPECT_EQ(report(Status(StatusCode::unsupported, message)), FASTNORM_UNSUPPORTED);
  EXPECT_EQ(fastnorm_last_error(), message);
}

TEST(LastError, ExceptionsAreStatuses) {
  EXPECT_EQ(guarded([]() -> Status { throw std::bad_alloc(); }), FASTNORM_OUT_OF_MEMORY);
  EXPECT_STREQ(fastnorm_last_error(), "out of host memory");
  EXPECT_EQ(guarded([]() -> Status { throw std::runtime_error("no thread can be had"); }),
            FASTNORM_DEVICE_ERROR);
  EXPECT_STREQ(fastnorm_last_error(), "no thread can be had");
}

TEST(LastError, IsGoneBeforeTheProgramIs) {
  EXPECT_EQ(fail(), FASTNORM_INVALID_ARGUMENT);
  fails_when_destroyed.is_armed = true;
}

}  // namespace
}  // namespace fastnorm::c_api
