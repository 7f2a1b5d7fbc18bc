// SPDX-License-Identifier: Apache-2.0
// Loops from several threads, and from inside other loops.
#include "backends/kokkos/host_dispatch.hpp"

#include "support/shapes.hpp"
#include "support/trial.hpp"

#include <fastnorm/norm.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace fastnorm::kokkos {
namespace {

class HostDispatch : public ::testing::Test {
 protected:
  void SetUp() override {
    const Status status = start_runtime();
    ASSERT_TRUE(status.ok()) << status.message();
  }
};

struct CountVisits {
  std::atomic<int>* visits;
  void operator()(std::int64_t i) const { ++visits[i]; }
};

void expect_each_once(std::int64_t count) {
  std::vector<std::atomic<int>> visits(static_cast<std::size_t>(count));
  for (auto& visit : visits) visit = 0;
  const Status status = for_each("test", count, CountVisits{visits.data()});
  EXPECT_TRUE(status.ok()) << status.message();
  for (const auto& visit : visits) EXPECT_EQ(visit, 1);
}

TEST_F(HostDispatch, VisitsEachIndexOnce) {
  for (const std::int64_t count : {0, 1, 2, 7, 1000}) expect_each_once(count);
}

TEST_F(HostDispatch, FromSeveralThreads) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      for (int round = 0; round < 200; ++round) expect_each_once(100);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

/// A normalization each, by every index of a loop of the program's own.
struct NormalizeInside {
  std::unique_ptr<test::Trial>* trials;
  std::string* failures;  // Empty for success.

  void operator()(int i) const {
    PlanOptions options;
    options.memory = MemorySpace::host;
    options.strategy = i % 2 == 0 ? "rows" : "split_rows";
    const test::Trial& trial = *trials[i];
    failures[i] = normalize(trial.setup().desc, trial.args(), {}, options).message();
  }
};

constexpr int inside_count = 8;

template <class Loop>
void expect_normalized_inside(const Loop& loop) {
  std::vector<std::unique_ptr<test::Trial>> trials;
  for (int i = 0; i < inside_count; ++i) {
    const NormDesc desc = test::group_norm_desc({2, 4, 3000 + i}, 2);
    trials.push_back(std::make_unique<test::Trial>(test::random_trial(desc), test::host_memory()));
  }
  std::vector<std::string> failures(inside_count, "not called");
  loop(NormalizeInside{trials.data(), failures.data()});
  for (std::size_t i = 0; i < inside_count; ++i) {
    EXPECT_EQ(failures[i], "");
    EXPECT_TRUE(trials[i]->check()) << "index " << i;
  }
}

TEST_F(HostDispatch, InsideALoopOfTheProgram) {
  expect_normalized_inside([](const NormalizeInside& body) {
    Kokkos::parallel_for("outer", Kokkos::RangePolicy<HostSpace>(0, inside_count), body);
    Kokkos::fence();
  });
}

#ifdef KOKKOS_ENABLE_OPENMP
TEST_F(HostDispatch, InsideAnOpenMPRegion) {
  expect_normalized_inside([](const NormalizeInside& body) {
#pragma omp parallel for
    for (int i = 0; i < inside_count; ++i) body(i);
  });
}

TEST_F(HostDispatch, InsideAnOpenMPRegionOfOneThread) {
  expect_normalized_inside([](const NormalizeInside& body) {
#pragma omp parallel for num_threads(1)
    for (int i = 0; i < inside_count; ++i) body(i);
  });
}
#endif

}  // namespace
}  // namespace fastnorm::kokkos
