// SPDX-License-Identifier: Apache-2.0
#include "tuner/job_queue.hpp"

#include "support/shapes.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <future>
#include <thread>
#include <vector>

namespace fastnorm::tuner {
namespace {

using namespace std::chrono_literals;

std::vector<Job> jobs(std::size_t count) {
  std::vector<Job> all;
  while (all.size() < count) {
    all.push_back({all.size(), {}, Problem::create(test::layer_norm_desc({4, 8})).value()});
  }
  return all;
}

constexpr std::size_t none = 99;

std::size_t number_of(const Job* job) { return job == nullptr ? none : job->number; }

TEST(JobQueue, WhoAsksFirstGetsTheFirst) {
  const std::vector<Job> all = jobs(3);
  JobQueue queue(all, {});
  EXPECT_EQ(number_of(queue.next(1)), 0U);
  EXPECT_EQ(number_of(queue.next(0)), 1U);
  EXPECT_EQ(number_of(queue.next(1)), 2U);
  queue.leave(0);
  EXPECT_EQ(number_of(queue.next(1)), none);
}

TEST(JobQueue, BegunCasesGoToTheirDevicesInTheirOrderBeforeOthers) {
  const std::vector<Job> all = jobs(5);
  // Case 2 was given up by device 0 and taken over by device 1.
  JobQueue queue(all, {{0, 2}, {0, 3}, {1, 2}, {0, 1}});
  std::future<const Job*> second = std::async(std::launch::async, [&] { return queue.next(1); });
  EXPECT_EQ(second.wait_for(50ms), std::future_status::timeout)
      << "its turn comes after device 0's";
  EXPECT_EQ(number_of(queue.next(0)), 3U);
  EXPECT_EQ(number_of(second.get()), 2U);
  std::future<const Job*> open = std::async(std::launch::async, [&] { return queue.next(1); });
  EXPECT_EQ(open.wait_for(50ms), std::future_status::timeout);
  EXPECT_EQ(number_of(queue.next(0)), 1U);
  EXPECT_EQ(number_of(open.get()), 0U);
  EXPECT_EQ(number_of(queue.next(0)), 4U);
}

TEST(JobQueue, WhatADeviceThatLeavesHadBegunIsAnyones) {
  const std::vector<Job> all = jobs(2);
  JobQueue queue(all, {{0, 1}});
  std::future<const Job*> other = std::async(std::launch::async, [&] { return queue.next(1); });
  EXPECT_EQ(other.wait_for(50ms), std::future_status::timeout);
  queue.leave(0);
  EXPECT_EQ(number_of(other.get()), 0U);
  EXPECT_EQ(number_of(queue.next(1)), 1U);
}

TEST(JobQueue, ACaseThatIsGivenUpIsAnothers) {
  const std::vector<Job> all = jobs(2);
  JobQueue queue(all, {});
  EXPECT_EQ(number_of(queue.next(0)), 0U);
  EXPECT_EQ(number_of(queue.next(1)), 1U);
  std::future<const Job*> waiting = std::async(std::launch::async, [&] { return queue.next(1); });
  EXPECT_EQ(waiting.wait_for(50ms), std::future_status::timeout) << "device 0 has not finished";
  queue.give_up(0);
  EXPECT_EQ(number_of(waiting.get()), 0U);
  EXPECT_EQ(number_of(queue.next(1)), none);
}

TEST(JobQueue, ManyDevicesTakeEachCaseOnce) {
  const std::vector<Job> all = jobs(2000);
  JobQueue queue(all, {});
  std::vector<std::atomic<int>> taken(all.size());
  std::vector<std::thread> devices;
  for (std::size_t device = 0; device < 8; ++device) {
    devices.emplace_back([&, device] {
      while (const Job* job = queue.next(device)) ++taken[job->number];
      queue.leave(device);
    });
  }
  for (std::thread& device : devices) device.join();
  for (const std::atomic<int>& count : taken) ASSERT_EQ(count, 1);
}

}  // namespace
}  // namespace fastnorm::tuner
