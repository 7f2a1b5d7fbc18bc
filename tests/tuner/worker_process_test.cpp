// SPDX-License-Identifier: Apache-2.0
#include "tuner/worker_process.hpp"

#include "support/bound_thread.hpp"
#include "tuner/suspension.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <string>
#include <thread>

namespace fastnorm::tuner {
namespace {

using namespace std::chrono_literals;

/// A shell that takes a line, does what is said and answers "done".
WorkerProgram shell(const std::string& act) {
  const std::string channel = std::to_string(worker_channel);
  return {"/bin/sh",
          {"-c", "read line <&" + channel + " && " + act + " && echo done >&" + channel},
          {}};
}

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

// As a batch system suspends a job, in a session of its own: all of its processes, for longer than
// an answer may take; and they go on one after the other.
TEST(WorkerProcessExchange, ASuspensionOfBothIsNoTimeOfTheAnswer) {
  constexpr auto limit = 1s;
  std::array<int, 2> ends{-1, -1};
  ASSERT_EQ(pipe(ends.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    setsid();
    const SuspensionWatch watch({5ms, 50ms});
    Result<WorkerProcess> worker = WorkerProcess::start(shell("kill -STOP $PPID && kill -STOP $$"));
    if (!worker.ok()) _exit(1);
    const pid_t id = worker.value().id();
    if (write(ends[1], &id, sizeof id) != sizeof id) _exit(2);
    const Result<std::string> answer = worker.value().exchange("go\n", limit);
    _exit(answer.ok() && answer.value() == "done" ? 0 : 3);
  }
  pid_t worker = -1;
  ASSERT_EQ(read(ends[0], &worker, sizeof worker), static_cast<ssize_t>(sizeof worker));
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, WUNTRACED), child);
  ASSERT_TRUE(WIFSTOPPED(status)) << status;
  std::this_thread::sleep_for(2 * limit);
  kill(child, SIGCONT);
  std::this_thread::sleep_for(limit / 5);
  kill(worker, SIGCONT);
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  close(ends[0]);
  close(ends[1]);
}

TEST(WorkerProcessExchange, AProcessThatWasStoppedGoesOnAndIsWaitedForOnceMore) {
  Result<WorkerProcess> worker = WorkerProcess::start(shell("kill -STOP $$"));
  ASSERT_TRUE(worker.ok()) << worker.status().message();
  const Result<std::string> answer = worker.value().exchange("go\n", 500ms);
  ASSERT_TRUE(answer.ok()) << answer.status().message();
  EXPECT_EQ(answer.value(), "done");
}

TEST(WorkerProcessExchange, AProcessThatStopsItselfAgainIsEnded) {
  Result<WorkerProcess> worker =
      WorkerProcess::start(shell("kill -STOP $$ && kill -STOP $$ && sleep 60"));
  ASSERT_TRUE(worker.ok()) << worker.status().message();
  const Result<std::string> answer = worker.value().exchange("go\n", 500ms);
  EXPECT_EQ(answer.status().message(), "did not end within 0.5 s");
}

}  // namespace
}  // namespace fastnorm::tuner
