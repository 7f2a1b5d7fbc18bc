// SPDX-License-Identifier: Apache-2.0
/// A thread that is bound to one core, beside one that is not: how OMP_PROC_BIND leaves a process.
#pragma once

#include <gtest/gtest.h>
#include <sched.h>

#include <future>
#include <thread>

namespace fastnorm::test {

inline cpu_set_t own_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  EXPECT_EQ(sched_getaffinity(0, sizeof cores, &cores), 0);
  return cores;
}

inline int own_core_count() {
  const cpu_set_t cores = own_cores();
  return CPU_COUNT(&cores);
}

/// Binds the calling thread for as long as this lives.
class BoundThread {
 public:
  BoundThread() {
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int core = 0; core < CPU_SETSIZE; ++core) {
      if (!CPU_ISSET(core, &all_)) continue;
      CPU_SET(core, &one);
      break;
    }
    EXPECT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  }
  ~BoundThread() {
    done_.set_value();
    free_.join();
    EXPECT_EQ(sched_setaffinity(0, sizeof all_, &all_), 0);
  }
  BoundThread(const BoundThread&) = delete;
  BoundThread& operator=(const BoundThread&) = delete;

  /// Cores that the other one may run on.
  int free_count() const { return CPU_COUNT(&all_); }

 private:
  cpu_set_t all_ = own_cores();
  std::promise<void> done_;
  std::thread free_{[done = done_.get_future()]() mutable { done.wait(); }};
};

}  // namespace fastnorm::test
