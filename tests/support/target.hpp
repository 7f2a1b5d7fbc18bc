// SPDX-License-Identifier: Apache-2.0
/// What a test program tests: the back ends of one memory space, host or device. Which one is
/// decided by the label that the program was added under, so that one source serves both.
#pragma once

#include "core/backend.hpp"
#include "support/memory.hpp"

#include <fastnorm/plan.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fastnorm::test {

MemorySpace target_space() noexcept;
Memory& target_memory();

/// Empty, or why nothing can run here. Starts the driver of a device.
std::string why_no_target();

/// A queue of the space under test; on the host there is only the one that is no queue at all. On a
/// device it does not wait for the default stream, as the streams of most programs do not.
class TargetStream {
 public:
  TargetStream();
  ~TargetStream();
  TargetStream(const TargetStream&) = delete;
  TargetStream& operator=(const TargetStream&) = delete;

  Stream get() const noexcept { return stream_; }
  void synchronize();

 private:
  Stream stream_;
};

/// This build's back ends for the space; starts nothing.
inline std::vector<const Backend*> target_backends() {
  std::vector<const Backend*> found;
  for (const Backend* backend : backends()) {
    if (backend->memory() == target_space()) found.push_back(backend);
  }
  return found;
}

/// Leaves the heuristic alone to choose, in the memory space under test.
inline PlanOptions target_options() {
  PlanOptions options;
  options.memory = target_space();
  options.tuning = Tuning::heuristic;
  return options;
}

inline PlanOptions target_options(const Backend& backend) {
  PlanOptions options = target_options();
  options.backend = backend.name();
  return options;
}

/// Skips, visibly, where there is nothing to run on.
template <class Base>
class TargetFixture : public Base {
 protected:
  void SetUp() override {
    if (target_backends().empty()) {
      GTEST_SKIP() << "this build has no back end for memory of the " << to_string(target_space());
    }
    if (const std::string why = why_no_target(); !why.empty()) GTEST_SKIP() << why;
  }
};
using TargetTest = TargetFixture<::testing::Test>;
template <class T>
using TargetTestWithParam = TargetFixture<::testing::TestWithParam<T>>;

}  // namespace fastnorm::test
