// SPDX-License-Identifier: Apache-2.0
#include "core/log.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace fastnorm {
namespace {

/// Runs `action` in a child, for the level is read once a process, and gives what it wrote to
/// standard error. `level` null: FASTNORM_LOG is not set.
template <class Action>
std::string logged(const char* level, Action action) {
  int ends[2] = {-1, -1};
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    if (level != nullptr) {
      setenv("FASTNORM_LOG", level, 1);
    } else {
      unsetenv("FASTNORM_LOG");
    }
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    action();
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t count = 0; (count = read(ends[0], buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(count));
  }
  close(ends[0]);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  return text;
}

void one_of_each() {
  log(LogLevel::error, "e");
  log(LogLevel::warning, "w");
  log(LogLevel::info, "i");
  log(LogLevel::debug, "d");
  log(LogLevel::off, "never");
}

constexpr const char* error_line = "fastnorm: error: e\n";
constexpr const char* warning_lines = "fastnorm: error: e\nfastnorm: warning: w\n";

TEST(Log, LevelsAreThoseOfTheEnvironment) {
  EXPECT_EQ(logged("off", one_of_each), "");
  EXPECT_EQ(logged("error", one_of_each), error_line);
  EXPECT_EQ(logged("warning", one_of_each), warning_lines);
  EXPECT_EQ(logged("info", one_of_each), warning_lines + std::string("fastnorm: info: i\n"));
  EXPECT_EQ(logged("debug", one_of_each),
            warning_lines + std::string("fastnorm: info: i\nfastnorm: debug: d\n"));
}

TEST(Log, WarningsAreTheDefault) {
  EXPECT_EQ(logged(nullptr, one_of_each), warning_lines);
  EXPECT_EQ(logged("", one_of_each), warning_lines);
}

TEST(Log, AnUnknownLevelIsToldOnce) {
  EXPECT_EQ(logged("loud", one_of_each),
            "fastnorm: warning: FASTNORM_LOG is not a level; allowed: off, error, warning, info, "
            "debug\n" +
                std::string(warning_lines));
}

TEST(Log, EnabledMeansPrinted) {
  EXPECT_EQ(logged("info",
                   [] {
                     if (!log_enabled(LogLevel::info) || log_enabled(LogLevel::debug) ||
                         log_enabled(LogLevel::off)) {
                       log(LogLevel::error, "wrong");
                     }
                   }),
            "");
}

TEST(Log, AMessageIsOneLineOfPlainText) {
  EXPECT_EQ(logged("error", [] { log(LogLevel::error, "a\nb\x1b[2Jc\td\xc3\xa9"); }),
            "fastnorm: error: a\\nb\\x1b[2Jc\\td\xc3\xa9\n");
}

TEST(Log, LeavesErrnoAlone) {
  EXPECT_EQ(logged("error",
                   [] {
                     close(STDERR_FILENO);
                     errno = ENOENT;
                     log(LogLevel::error, "nobody listens");
                     _exit(errno == ENOENT ? 0 : 1);
                   }),
            "");
}

TEST(Log, LinesOfThreadsDoNotMix) {
  const std::string text = logged("info", [] {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([] {
        for (int round = 0; round < 200; ++round) log(LogLevel::info, std::string(100, 'x'));
      });
    }
    for (std::thread& thread : threads) thread.join();
  });
  const std::string line = "fastnorm: info: " + std::string(100, 'x') + "\n";
  ASSERT_EQ(text.size(), 800 * line.size());
  for (std::size_t at = 0; at < text.size(); at += line.size()) {
    ASSERT_EQ(text.substr(at, line.size()), line);
  }
}

}  // namespace
}  // namespace fastnorm
