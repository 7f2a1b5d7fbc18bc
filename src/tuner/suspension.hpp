// SPDX-License-Identifier: Apache-2.0
/// Times in which the program does not run, and goes on later: stopped by Ctrl-Z or a batch system,
/// by whatever signal, or frozen with its control group.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace fastnorm::tuner {

/// The steady clock, less what a SuspensionWatch has left out. Never goes back. Safe from several
/// threads.
std::chrono::steady_clock::time_point running_time() noexcept;

/// While it lives, running_time() stands still when the process does not run. Signals do not tell:
/// SIGSTOP and a freezer cannot be caught, and in a process group that nobody would continue, the
/// system discards the stop of a caught SIGTSTP. So a thread wakes now and then, and where it has
/// not, nothing of the process has run. One at a time.
class SuspensionWatch {
 public:
  struct Pace {
    /// From one waking to the next.
    std::chrono::milliseconds beat{250};
    /// Without one, so much is running time and the rest is not: a stop counts for this at most. A
    /// machine that is merely busy lets a thread wait for less, and where not, as good as stops the
    /// process.
    std::chrono::milliseconds longest_gap{1000};
  };

  SuspensionWatch() : SuspensionWatch(Pace()) {}
  explicit SuspensionWatch(const Pace& pace);
  ~SuspensionWatch();
  SuspensionWatch(const SuspensionWatch&) = delete;
  SuspensionWatch& operator=(const SuspensionWatch&) = delete;

 private:
  void watch();

  const Pace pace_;
  std::mutex mutex_;
  std::condition_variable end_;
  bool ended_ = false;
  std::thread thread_;
};

/// From now on, undisturbed_by_stops() knows when this process goes on after a stop by a signal.
void note_continuations();

/// How often it has.
unsigned continuations() noexcept;

/// What `measure` returns where the process was not stopped meanwhile: calls it until then.
template <class Measure>
auto undisturbed_by_stops(const Measure& measure) {
  for (;;) {
    const unsigned before = continuations();
    auto result = measure();
    if (continuations() == before) return result;
  }
}

}  // namespace fastnorm::tuner
