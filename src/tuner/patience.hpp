// SPDX-License-Identifier: Apache-2.0
/// How long a worker may take to answer before it counts as hanging.
#pragma once

#include "measure/samples.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace fastnorm::tuner {

/// Limits that are too wide cost time where a candidate hangs, and ones that are too narrow a
/// candidate: so they are wide. A candidate that takes twenty times as long as the default wins
/// nothing.
struct PatienceLimits {
  std::chrono::milliseconds starting{300'000};  ///< A process with its device's runtime.
  std::chrono::milliseconds loading{600'000};   ///< A case of no size,
  double loaded_bytes_per_second = 50e6;        ///< and so much more for one with it.
  std::chrono::milliseconds least{20'000};  ///< For what the machine may be busy with otherwise.
  double factor = 20;                       ///< Times what has been seen to take.
};

/// Follows one case. What is known to be right, loading the case and the default, which is
/// evaluated first, says how long things take on this machine.
class Patience {
 public:
  using Duration = std::chrono::duration<double>;

  explicit Patience(const PatienceLimits& limits) : limits_(limits) {}

  /// The time has come for another case.
  void begin(std::int64_t moved_bytes) {
    moved_bytes_ = moved_bytes;
    load_.reset();
    verification_.reset();
    sample_.reset();
  }

  // What has been seen to take how long. The first time counts.
  void loaded(Duration took) { keep(load_, took); }
  void verified(Duration took) { keep(verification_, took); }
  void timed(Duration took, std::size_t samples) {
    if (samples > 0) keep(sample_, took / static_cast<double>(samples));
  }

  // How long the next may take.
  std::chrono::milliseconds to_start() const { return limits_.starting; }
  std::chrono::milliseconds to_load() const {
    const Duration size(static_cast<double>(moved_bytes_) / limits_.loaded_bytes_per_second);
    const auto unseen = limits_.loading + std::chrono::ceil<std::chrono::milliseconds>(size);
    return load_ ? std::min(unseen, times(*load_)) : unseen;
  }
  std::chrono::milliseconds to_verify() const { return times(longest(verification_, 1)); }
  std::chrono::milliseconds to_time(const measure::SampleLimits& limits) const {
    const Duration more(limits.seconds);
    return times(longest(sample_, limits.at_least)) +
           std::chrono::ceil<std::chrono::milliseconds>(more);
  }

 private:
  static void keep(std::optional<Duration>& first, Duration took) {
    if (!first) first = took;
  }
  /// Whether or not the default has been seen: a resumed session may have its answers already.
  Duration longest(const std::optional<Duration>& seen, int count) const {
    return std::max(load_.value_or(Duration{0}), seen.value_or(Duration{0}) * count);
  }
  std::chrono::milliseconds times(Duration seen) const {
    return limits_.least + std::chrono::ceil<std::chrono::milliseconds>(limits_.factor * seen);
  }

  PatienceLimits limits_;
  std::int64_t moved_bytes_ = 0;
  std::optional<Duration> load_;
  std::optional<Duration> verification_;
  std::optional<Duration> sample_;
};

}  // namespace fastnorm::tuner
