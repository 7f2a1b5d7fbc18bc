// SPDX-License-Identifier: Apache-2.0
#include "measure/whole_process.hpp"

#include "measure/host_threads.hpp"
#include "support/bound_thread.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace fastnorm::measure {
namespace {

using test::BoundThread;
using test::own_core_count;

TEST(WholeProcess, EveryThreadsCoresAreCounted) {
  const BoundThread bound;
  ASSERT_EQ(own_core_count(), 1);
  EXPECT_EQ(process_cores(), bound.free_count());
  EXPECT_EQ(host_threads(), bound.free_count());
}

TEST(WholeProcess, ItsEndBindsAgain) {
  const BoundThread bound;
  {
    const WholeProcess anywhere;
    EXPECT_EQ(own_core_count(), bound.free_count());
    {
      const WholeProcess again;
      EXPECT_EQ(own_core_count(), bound.free_count());
    }
    EXPECT_EQ(own_core_count(), bound.free_count());
  }
  EXPECT_EQ(own_core_count(), 1);
}

TEST(WholeProcess, ThreadsOfTheMeasurementAreNotBound) {
  const BoundThread bound;
  std::mutex mutex;
  std::vector<int> counts;
  const auto note = [&] {
    const std::lock_guard lock(mutex);
    counts.push_back(own_core_count());
  };
  parallel_parts(3, 3, [&](std::int64_t, std::int64_t) { note(); });
  EXPECT_EQ(counts, std::vector<int>(3, bound.free_count()));
  EXPECT_EQ(own_core_count(), 1);
}

TEST(WholeProcess, TimedThreadsHaveEachACoreOfTheProcess) {
  const BoundThread bound;
  std::mutex mutex;
  std::set<int> cores;
  std::vector<int> counts;
  const double us = timed_team(bound.free_count(), [&](int) {
    const std::lock_guard lock(mutex);
    counts.push_back(own_core_count());
    cores.insert(sched_getcpu());
  });
  EXPECT_GT(us, 0);
  EXPECT_EQ(counts, std::vector<int>(static_cast<std::size_t>(bound.free_count()), 1));
  EXPECT_EQ(cores.size(), static_cast<std::size_t>(bound.free_count()));
  EXPECT_EQ(own_core_count(), 1);
}

TEST(TimedTeam, WaitingForABusyProcessorIsNotTheTeams) {
  std::atomic<bool> over{false};
  std::vector<std::thread> others;
  for (int i = 0; i < 8; ++i) {
    others.emplace_back([&] {
      stay_on_core(0);
      while (!over) continue;
    });
  }
  double fastest_us = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 10; ++i) fastest_us = std::min(fastest_us, timed_team(1, [](int) {}));
  over = true;
  for (std::thread& other : others) other.join();
  EXPECT_LT(fastest_us, 100) << "others are given their turns of milliseconds first";
}

}  // namespace
}  // namespace fastnorm::measure
