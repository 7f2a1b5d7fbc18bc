// SPDX-License-Identifier: Apache-2.0
// F26: linking the library starts nothing; a child of fork() may make the first call. One test in a
// process of its own, since only the first call is of interest.
#include "driver_state.hpp"
#include "support/shapes.hpp"
#include "support/target.hpp"
#include "support/trial.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

namespace fastnorm::test {
namespace {

enum class Verdict { right = 0, wrong = 1, no_device = 77 };

Verdict call() {
  if (target_backends().empty() || !why_no_target().empty()) return Verdict::no_device;
  Trial trial(random_trial(group_norm_desc({2, 8, 100}, 4)), target_memory());
  const ::testing::AssertionResult result = run_normalize(trial, target_options());
  if (!result) std::fprintf(stderr, "%s\n", result.message());
  return result ? Verdict::right : Verdict::wrong;
}

Verdict call_in_child() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(static_cast<int>(call()));
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child || !WIFEXITED(status)) {
    return Verdict::wrong;
  }
  return static_cast<Verdict>(WEXITSTATUS(status));
}

TEST(F26FirstUse, NothingStartsBeforeTheFirstCallWhichMayBeAChilds) {
  if (target_backends().empty()) GTEST_SKIP() << "this build has no back end to call";
  // To have listed the back ends is not yet a use.
  ASSERT_NE(driver_state(), DriverState::initialised);

  const Verdict child = call_in_child();
  if (child == Verdict::no_device) GTEST_SKIP() << why_no_target();
  EXPECT_EQ(child, Verdict::right);

  EXPECT_NE(driver_state(), DriverState::initialised) << "the child's call is not the parent's";
  EXPECT_EQ(call(), Verdict::right) << "the parent, after the child";
}

}  // namespace
}  // namespace fastnorm::test
