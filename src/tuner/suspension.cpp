// SPDX-License-Identifier: Apache-2.0
#include "tuner/suspension.hpp"

#include <signal.h>

#include <algorithm>
#include <atomic>

namespace fastnorm::tuner {
namespace {

using std::chrono::steady_clock;
using TimePoint = steady_clock::time_point;

/// Which times of the steady clock are running time.
class Account {
 public:
  TimePoint running_time() {
    const std::lock_guard lock(mutex_);
    // After a suspension it stands until its end has been noted, whichever thread goes on first.
    return std::min(steady_clock::now(), counts_until_) - suspended_;
  }

  /// The process runs; all time from now on counts, up to `longest`.
  void note_running(steady_clock::duration longest) {
    const std::lock_guard lock(mutex_);
    counts_until_ = leave_out_what_did_not_count() + longest;
  }

  /// All time from now on counts.
  void stop_watching() {
    const std::lock_guard lock(mutex_);
    leave_out_what_did_not_count();
    counts_until_ = TimePoint::max();
  }

 private:
  TimePoint leave_out_what_did_not_count() {
    const TimePoint now = steady_clock::now();
    if (now > counts_until_) suspended_ += now - counts_until_;
    return now;
  }

  std::mutex mutex_;
  TimePoint counts_until_ = TimePoint::max();
  steady_clock::duration suspended_{0};
};

Account account;

std::atomic<unsigned> continued{0};
static_assert(std::atomic<unsigned>::is_always_lock_free, "for use in signal handlers");

void go_on(int) { ++continued; }

}  // namespace

TimePoint running_time() noexcept { return account.running_time(); }

SuspensionWatch::SuspensionWatch(const Pace& pace) : pace_(pace), thread_([this] { watch(); }) {
  // The thread may be a while in coming.
  account.note_running(pace_.longest_gap);
}

SuspensionWatch::~SuspensionWatch() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  end_.notify_one();
  thread_.join();
}

void SuspensionWatch::watch() {
  std::unique_lock lock(mutex_);
  do {
    account.note_running(pace_.longest_gap);
  } while (!end_.wait_for(lock, pace_.beat, [this] { return ended_; }));
  account.stop_watching();
}

void note_continuations() {
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = go_on;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGCONT, &action, &before);
  if (before.sa_handler == SIG_IGN) ::sigaction(SIGCONT, &before, nullptr);
}

unsigned continuations() noexcept { return continued; }

}  // namespace fastnorm::tuner
