// SPDX-License-Identifier: Apache-2.0
#include "tuner/suspension.hpp"

#include "core/file_descriptor.hpp"
#include "tuner/line_channel.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <string>
#include <thread>

namespace fastnorm::tuner {
namespace {

using namespace std::chrono_literals;

constexpr auto pause = 400ms;
constexpr SuspensionWatch::Pace quick{5ms, 50ms};

/// By that signal.
class Suspension : public ::testing::TestWithParam<int> {
 protected:
  /// The exit status of a process that does `act`, which stops it once; it is let go on after a
  /// pause.
  template <class Act>
  static int stopped_once(const Act& act) {
    const pid_t child = fork();
    if (child == 0) {
      // SIGTSTP stops no process of a group that has nobody to continue it.
      setpgid(0, 0);
      const SuspensionWatch watch(quick);
      _exit(act());
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, WUNTRACED), child);
    EXPECT_TRUE(WIFSTOPPED(status) && WSTOPSIG(status) == GetParam()) << status;
    std::this_thread::sleep_for(pause);
    kill(child, SIGCONT);
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
};

INSTANTIATE_TEST_SUITE_P(Signals, Suspension, ::testing::Values(SIGTSTP, SIGSTOP));

TEST_P(Suspension, TheRunningTimeStandsStillWhileTheProcessIsStopped) {
  const int status = stopped_once([] {
    const auto before = std::chrono::steady_clock::now();
    const auto running_before = running_time();
    raise(GetParam());
    const auto on_waking = running_time();
    std::this_thread::sleep_for(pause / 10);
    const auto running = running_time() - running_before;
    const auto all = std::chrono::steady_clock::now() - before;
    if (all < pause) return 1;
    if (on_waking < running_before || on_waking - running_before > pause / 2) return 2;
    return running <= all - pause + quick.longest_gap ? 0 : 3;
  });
  EXPECT_EQ(status, 0);
}

TEST_P(Suspension, NoThreadHasWaitedForAnAnswerMeanwhile) {
  const int status = stopped_once([] {
    std::array<int, 2> ends{-1, -1};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) return 1;
    LineChannel ours{FileDescriptor(ends[0])};
    LineChannel theirs{FileDescriptor(ends[1])};
    auto received = LineChannel::Received::late;
    std::thread waiting([&] {
      std::string line;
      received = ours.receive(line, running_time() + pause / 2);
    });
    std::this_thread::sleep_for(pause / 10);
    raise(GetParam());
    std::this_thread::sleep_for(pause / 20);
    theirs.send("an answer\n");
    waiting.join();
    return received == LineChannel::Received::line ? 0 : 2;
  });
  EXPECT_EQ(status, 0);
}

TEST(SuspensionWatch, LeavesNothingOutWhileTheProcessRuns) {
  const auto before = running_time();
  {
    const SuspensionWatch watch({5ms, 60s});
    std::this_thread::sleep_for(pause);
    EXPECT_GE(running_time() - before, pause);
  }
  std::this_thread::sleep_for(pause);
  EXPECT_GE(running_time() - before, 2 * pause) << "nor when nobody watches any more";
}

TEST(UndisturbedByStops, WhatAStopHasDisturbedIsMeasuredAgain) {
  note_continuations();
  int calls = 0;
  const int result = undisturbed_by_stops([&] {
    if (++calls <= 2) raise(SIGCONT);
    return calls;
  });
  EXPECT_EQ(result, 3);
  EXPECT_EQ(undisturbed_by_stops([&] { return ++calls; }), 4);
}

}  // namespace
}  // namespace fastnorm::tuner
