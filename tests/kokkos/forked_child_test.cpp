// SPDX-License-Identifier: Apache-2.0
// A child of fork() calls what the parent has called before, without the parent's threads.
#include "support/shapes.hpp"
#include "support/trial.hpp"

#include <fastnorm/norm.hpp>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <thread>
#include <vector>

namespace fastnorm::test {
namespace {

constexpr std::int64_t rows = 64;
constexpr std::int64_t row_len = 4096;

std::vector<float> tensor() {
  std::vector<float> x(rows * row_len);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 1009);
  return x;
}

/// Normalized by several threads: empty where that fails.
std::vector<float> normalized(const std::vector<float>& x, const char* strategy) {
  PlanOptions options;
  options.memory = MemorySpace::host;
  options.strategy = strategy;
  NormDesc desc;
  desc.op = Op::layer_norm;
  desc.extents = {rows, row_len};
  NormArgs args;
  std::vector<float> y(x.size());
  args.x = x.data();
  args.y = y.data();
  if (!normalize(desc, args, {}, options).ok()) y.clear();
  return y;
}

/// Whether the child's results are those of `expected` to the last bit, also by a new thread.
bool repeats(const std::vector<float>& x, const char* strategy,
             const std::vector<float>& expected) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);  // A child that waits for the parent's threads waits for ever.
    std::vector<float> by_thread;
    std::thread([&] { by_thread = normalized(x, strategy); }).join();
    const bool same = normalized(x, strategy) == expected && by_thread == expected;
    ::_exit(same ? EXIT_SUCCESS : EXIT_FAILURE);
  }
  int status = 0;
  return child > 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == EXIT_SUCCESS;
}

TEST(ForkedChild, HasTheParentsResults) {
  // Several threads also where there is one processor.
  ASSERT_EQ(::setenv("KOKKOS_NUM_THREADS", "4", 1), 0);
  const std::vector<float> x = tensor();
  for (const char* strategy : {"rows", "split_rows"}) {
    const std::vector<float> expected = normalized(x, strategy);
    ASSERT_FALSE(expected.empty()) << strategy;
    EXPECT_TRUE(repeats(x, strategy, expected)) << strategy;
    EXPECT_EQ(normalized(x, strategy), expected) << strategy << ", the parent's after the child's";
  }
}

}  // namespace
}  // namespace fastnorm::test
