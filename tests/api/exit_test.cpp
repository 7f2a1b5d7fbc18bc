// SPDX-License-Identifier: Apache-2.0
// A call from the destructor of a static object that is older than all that the library keeps.
#include "support/target.hpp"

#include <fastnorm/fastnorm.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace fastnorm::test {
namespace {

/// {-1, 1} is its own normal form.
bool normalizes() {
  const std::vector<float> x = {-1, 1, -1, 1};
  std::vector<float> y(x.size(), std::nanf(""));
  const Status status = instance_norm({1, 2, 2}, x.data(), y.data());
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.message().c_str());
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!(std::abs(y[i] - x[i]) < 1e-4F)) return false;
  }
  return status.ok();
}

struct CallsWhenDestroyed {
  ~CallsWhenDestroyed() {
    // Too late for a test's verdict; the program's exit status is one, too.
    if (was_called && !normalizes()) std::_Exit(EXIT_FAILURE);
  }
  bool was_called = false;
} calls_when_destroyed;

TEST(Exit, TheLibraryOutlivesStaticObjects) {
  if (const std::string why = why_no_target(); !why.empty()) GTEST_SKIP() << why;
  calls_when_destroyed.was_called = true;
  EXPECT_TRUE(normalizes());
}

}  // namespace
}  // namespace fastnorm::test
