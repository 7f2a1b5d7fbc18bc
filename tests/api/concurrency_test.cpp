// SPDX-License-Identifier: Apache-2.0
// Threads and streams that use one library, and one plan.
#include "support/plans.hpp"
#include "support/tolerance.hpp"
#include "support/trial.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace fastnorm::test {
namespace {

constexpr std::size_t thread_count = 6;

class Concurrency : public TargetTest {
 protected:
  /// Runs body(i) on a thread each; its text, if any, is a failure.
  static void on_threads(const std::function<std::string(std::size_t)>& body) {
    std::vector<std::string> failures(thread_count);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < thread_count; ++i) {
      threads.emplace_back([&, i] { failures[i] = body(i); });
    }
    for (std::thread& thread : threads) thread.join();
    for (std::size_t i = 0; i < thread_count; ++i) EXPECT_EQ(failures[i], "") << "thread " << i;
  }

  static std::string text(const ::testing::AssertionResult& result) {
    return result ? std::string() : result.message();
  }
};

TEST_F(Concurrency, ThreadsWithShapesAndStreamsOfTheirOwn) {
  on_threads([](std::size_t i) {
    TargetStream stream;
    for (std::size_t round = 0; round < 30; ++round) {
      const auto spatial = static_cast<std::int64_t>(1 + (i * 977 + round * 131) % 4000);
      Trial trial(random_trial(group_norm_desc({2, 8, spatial}, 4), i), target_memory());
      std::string failure = text(run_normalize(trial, target_options(), stream.get()));
      if (!failure.empty()) return failure;
    }
    return std::string();
  });
}

TEST_F(Concurrency, ThreadsSharingAPlan) {
  for (const Plan& plan : plans_under_test(group_norm_desc({1, 4, 50000}, 2), 1)) {
    on_threads([&](std::size_t i) {
      TargetStream stream;
      Trial trial(random_trial(group_norm_desc({1, 4, 50000}, 2), i), target_memory());
      for (int round = 0; round < 5; ++round) {
        std::string failure = text(run(plan, trial, stream.get()));
        if (!failure.empty()) return failure;
      }
      return std::string();
    });
  }
}

// The free functions' workspaces: work of one stream must not meet that of another.
TEST_F(Concurrency, OneThreadWithManyStreams) {
  constexpr std::size_t stream_count = 12;
  const NormDesc desc = group_norm_desc({1, 4, 100003}, 2);
  for (const Plan& plan : plans_under_test(desc, 1)) {
    PlanOptions options = target_options();
    options.backend = plan.backend();
    options.strategy = plan.strategy();
    options.config = plan.config();
    std::vector<std::unique_ptr<TargetStream>> streams;
    std::vector<std::unique_ptr<Trial>> trials;
    for (std::size_t i = 0; i < stream_count; ++i) {
      streams.push_back(std::make_unique<TargetStream>());
      trials.push_back(std::make_unique<Trial>(random_trial(desc, i), target_memory()));
    }
    for (int round = 0; round < 20; ++round) {
      for (std::size_t i = 0; i < stream_count; ++i) {
        const Status status = normalize(desc, trials[i]->args(), streams[i]->get(), options);
        ASSERT_TRUE(status.ok()) << status.message();
      }
    }
    for (std::size_t i = 0; i < stream_count; ++i) {
      streams[i]->synchronize();
      EXPECT_TRUE(trials[i]->check()) << plan.describe() << ", stream " << i;
    }
  }
}

TEST_F(Concurrency, ManyThreadsOnOneStream) {
  TargetStream stream;
  const NormDesc desc = group_norm_desc({1, 4, 20011}, 2);
  on_threads([&](std::size_t i) {
    Trial trial(random_trial(desc, i), target_memory());
    for (int round = 0; round < 20; ++round) {
      std::string failure = text(run_normalize(trial, target_options(), stream.get()));
      if (!failure.empty()) return failure;
    }
    return std::string();
  });
}

}  // namespace
}  // namespace fastnorm::test
