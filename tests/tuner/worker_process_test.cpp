// SPDX-License-Identifier: Apache-2.0
#include "tuner/worker_process.hpp"

#include "support/bound_thread.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace fastnorm::tuner {
namespace {

using namespace std::chrono_literals;

TEST(WorkerProcessStart, ItRunsWhereverTheProgramMay) {
  const test::BoundThread bound;
  const std::string channel = std::to_string(worker_channel);
  // nproc counts the cores, unless OpenMP is told how many threads to have.
  Result<WorkerProcess> worker = WorkerProcess::start(
      {"/bin/sh",
       {"-c", "read line <&" + channel + " && env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc >&" +
                  channel},
       {}});
  ASSERT_TRUE(worker.ok()) << worker.status().message();
  const Result<std::string> cores = worker.value().exchange("how many?\n", 20s);
  ASSERT_TRUE(cores.ok()) << cores.status().message();
  EXPECT_EQ(cores.value(), std::to_string(bound.free_count()));
  EXPECT_EQ(test::own_core_count(), 1);
}

}  // namespace
}  // namespace fastnorm::tuner
