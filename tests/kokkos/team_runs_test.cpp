// SPDX-License-Identifier: Apache-2.0
// How threads share a run: each element is one thread's, and packs are aligned.
#include "backends/kokkos/team_runs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace fastnorm::kokkos {
namespace {

/// How often each element of [0, end) is visited, by all threads together.
template <int Width, int Packs>
std::vector<int> visits(const Run<Width>& run, int threads) {
  std::vector<int> counts(static_cast<std::size_t>(run.end), 0);
  for (int rank = 0; rank < threads; ++rank) {
    run.template visit<Packs>(rank, threads, [&](const auto& batch) {
      using Visited = std::decay_t<decltype(batch)>;
      for (int p = 0; p < Visited::packs; ++p) {
        EXPECT_EQ(batch.pack(p) % Visited::width, 0);
        for (int k = 0; k < Visited::width; ++k) {
          ++counts.at(static_cast<std::size_t>(batch.pack(p) + k));
        }
      }
    });
  }
  return counts;
}

template <int Width, int Packs>
void expect_each_element_once() {
  for (const std::int64_t begin : {0, 1, 3, 8, 13}) {
    for (const std::int64_t count : {0, 1, 2, 7, 8, 9, 31, 64, 200, 513}) {
      for (const int threads : {1, 2, 5, 32}) {
        const Run<Width> run{begin, begin + count};
        std::vector<int> expected(static_cast<std::size_t>(run.end), 1);
        std::fill_n(expected.begin(), begin, 0);
        EXPECT_EQ((visits<Width, Packs>(run, threads)), expected)
            << count << " from " << begin << " by " << threads;
      }
    }
  }
}

TEST(TeamRuns, EveryElementIsVisitedOnce) {
  expect_each_element_once<1, 16>();
  expect_each_element_once<2, 8>();
  expect_each_element_once<4, 4>();
  expect_each_element_once<8, 2>();
  expect_each_element_once<8, 1>();
}

}  // namespace
}  // namespace fastnorm::kokkos
