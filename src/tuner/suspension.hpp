// SPDX-License-Identifier: Apache-2.0
/// Times in which the program is stopped, as by Ctrl-Z or a batch system, and goes on later.
#pragma once

#include <chrono>

namespace fastnorm::tuner {

/// From now on, running_time() stands still while SIGTSTP has this process stopped. SIGSTOP cannot
/// be noticed.
void note_suspensions();

/// The steady clock, less what the process was stopped. Safe from several threads.
std::chrono::steady_clock::time_point running_time() noexcept;

/// From now on, undisturbed_by_stops() knows when this process goes on after a stop of any kind.
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
