// SPDX-License-Identifier: Apache-2.0
// The first call of a process, made by several threads at once. One test in a process of its own.
#include "support/shapes.hpp"
#include "support/target.hpp"
#include "support/trial.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace fastnorm::test {
namespace {

class FirstCall : public TargetTest {};

TEST_F(FirstCall, ByTwoThreadsAtOnce) {
  constexpr int count = 2;
  std::vector<std::unique_ptr<Trial>> trials;
  std::vector<std::unique_ptr<TargetStream>> streams;
  for (int i = 0; i < count; ++i) {
    trials.push_back(
        std::make_unique<Trial>(random_trial(group_norm_desc({2, 8, 5000}, 4)), target_memory()));
    streams.push_back(std::make_unique<TargetStream>());
  }

  std::atomic<int> ready{0};
  std::vector<Status> results(count);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      ++ready;
      while (ready != count) std::this_thread::yield();
      results[i] = normalize(trials[i]->setup().desc, trials[i]->args(), streams[i]->get(),
                             target_options());
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_TRUE(results[i].ok()) << results[i].message();
    streams[i]->synchronize();
    EXPECT_TRUE(trials[i]->check());
  }
}

}  // namespace
}  // namespace fastnorm::test
