// SPDX-License-Identifier: Apache-2.0
// A call from the destructor of a static object that is older than all that the library keeps. A
// Kokkos whose threads are its own (Threads) has ended by then, and the call is refused.
#include "support/target.hpp"

#include <fastnorm/fastnorm.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace fastnorm::test {
namespace {

struct Call {
  Status status;
  std::vector<float> y;
};

Call normalize() {
  const std::vector<float> x = {-1, 1, -1, 1};
  Call call{{}, std::vector<float>(x.size(), std::nanf(""))};
  call.status = instance_norm({1, 2, 2}, x.data(), call.y.data());
  return call;
}

/// {-1, 1} is its own normal form.
bool is_normalized(const Call& call) {
  if (!call.status.ok()) std::fprintf(stderr, "%s\n", call.status.message().c_str());
  for (std::size_t i = 0; i < call.y.size(); ++i) {
    if (!(std::abs(call.y[i] - (i % 2 == 0 ? -1.F : 1.F)) < 1e-4F)) return false;
  }
  return call.status.ok();
}

/// And nothing was written.
bool is_refused(const Call& call) {
  return call.status.code() == StatusCode::unavailable &&
         std::all_of(call.y.begin(), call.y.end(), [](float value) { return std::isnan(value); });
}

struct CallsWhenDestroyed {
  ~CallsWhenDestroyed() {
    if (!was_called) return;
    const Call call = normalize();
    // Too late for a test's verdict; the program's exit status is one, too.
    if (!(space_ends_at_exit ? is_refused(call) : is_normalized(call))) std::_Exit(EXIT_FAILURE);
  }
  bool was_called = false;
  bool space_ends_at_exit = false;
} calls_when_destroyed;

TEST(Exit, TheLibraryOutlivesStaticObjects) {
  if (const std::string why = why_no_target(); !why.empty()) GTEST_SKIP() << why;
  const Result<BackendInfo> host = backend_info("kokkos-host");
  ASSERT_TRUE(host.ok()) << host.status().message();
  calls_when_destroyed.space_ends_at_exit = host.value().host_space == "Threads";
  calls_when_destroyed.was_called = true;
  EXPECT_TRUE(is_normalized(normalize()));
}

}  // namespace
}  // namespace fastnorm::test
