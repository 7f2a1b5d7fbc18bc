// SPDX-License-Identifier: Apache-2.0
/// The time that a run has spent.
#pragma once

#include "tuner/suspension.hpp"

#include <chrono>
#include <functional>
#include <utility>

namespace fastnorm::tuner {

/// Moves when something has been measured, and stands still in between: what is decided by it
/// follows from what the evaluations took, which a journal repeats.
class RunClock {
 public:
  using Duration = std::chrono::microseconds;
  using Source = std::function<std::chrono::steady_clock::time_point()>;

  explicit RunClock(Source source = running_time) : source_(std::move(source)), last_(source_()) {}

  Duration spent() const noexcept { return spent_; }
  double spent_seconds() const noexcept { return std::chrono::duration<double>(spent_).count(); }

  /// Counts the time since the last call of a member that moves the clock, and returns it.
  Duration lap() {
    const auto now = source_();
    const auto took = std::chrono::duration_cast<Duration>(now - last_);
    last_ = now;
    spent_ += took;
    return took;
  }

  /// Counts what an evaluation took in an earlier session instead.
  void repeat(Duration took) {
    spent_ += took;
    last_ = source_();
  }

  /// Leaves the time since then out: it is no part of the run.
  void skip() { last_ = source_(); }

 private:
  Source source_;
  std::chrono::steady_clock::time_point last_;
  Duration spent_{0};
};

}  // namespace fastnorm::tuner
