// SPDX-License-Identifier: Apache-2.0
#include "tuner/suspension.hpp"

#include <signal.h>

#include <atomic>
#include <cerrno>
#include <cstdint>

namespace fastnorm::tuner {
namespace {

using std::chrono::nanoseconds;
using std::chrono::steady_clock;
using Count = nanoseconds::rep;

/// While the process is stopped, the running time; else, negated, how long it was stopped in all.
/// One number, so that a thread that goes on before the handler has returned sees the time stand.
std::atomic<Count> standing_or_minus_stopped{0};
std::atomic<unsigned> continued{0};
static_assert(std::atomic<Count>::is_always_lock_free && std::atomic<unsigned>::is_always_lock_free,
              "for use in signal handlers");

Count now() noexcept { return nanoseconds(steady_clock::now().time_since_epoch()).count(); }

/// Stops as the signal would by itself; returns when the process goes on.
void stop_as_usual(int signal) {
  struct sigaction usual {};
  struct sigaction own {};
  usual.sa_handler = SIG_DFL;
  ::sigaction(signal, &usual, &own);
  sigset_t this_one;
  sigset_t blocked;
  ::sigemptyset(&this_one);
  ::sigaddset(&this_one, signal);
  ::raise(signal);  // Waits, since it is blocked in its handler.
  ::pthread_sigmask(SIG_UNBLOCK, &this_one, &blocked);
  ::pthread_sigmask(SIG_SETMASK, &blocked, nullptr);
  ::sigaction(signal, &own, nullptr);
}

void stop(int signal) {
  const int error = errno;
  const Count minus_stopped = standing_or_minus_stopped;
  if (minus_stopped > 0) return;  // Another thread is about to stop them all.
  const Count standing = now() + minus_stopped;
  standing_or_minus_stopped = standing;
  stop_as_usual(signal);
  standing_or_minus_stopped = standing - now();
  errno = error;
}

void go_on(int) { ++continued; }

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(signal, &action, &before);
  if (before.sa_handler == SIG_IGN) ::sigaction(signal, &before, nullptr);
}

}  // namespace

void note_suspensions() { handle(SIGTSTP, stop); }

steady_clock::time_point running_time() noexcept {
  for (;;) {
    const Count state = standing_or_minus_stopped;
    const Count time = state > 0 ? state : now() + state;
    if (standing_or_minus_stopped == state) return steady_clock::time_point(nanoseconds(time));
  }
}

void note_continuations() { handle(SIGCONT, go_on); }

unsigned continuations() noexcept { return continued; }

}  // namespace fastnorm::tuner
