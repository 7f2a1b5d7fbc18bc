// SPDX-License-Identifier: Apache-2.0
/// How many samples a measurement takes, and what is kept of them.
#pragma once

#include <fastnorm/status.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <vector>

namespace fastnorm::measure {

/// At least `at_least` samples; then more, until there are `at_most` or `seconds` have passed.
struct SampleLimits {
  int at_least = 11;
  int at_most = 101;
  double seconds = 0.3;
};

/// Decides when a measurement has enough. Its time begins with its construction.
class SamplePolicy {
 public:
  explicit SamplePolicy(const SampleLimits& limits) : limits_(limits) {}

  /// How many samples to take before asking again; 0 ends the measurement.
  std::size_t next_batch(std::size_t taken) const;

 private:
  SampleLimits limits_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Takes that many single runs and gives their times in microseconds.
using TakeRuns = std::function<Result<std::vector<double>>(std::size_t count)>;

/// What a clock can tell, and how many runs can be taken at a time.
struct Stopwatch {
  double step_us;  ///< Times differ by this at least, or not at all.
  std::size_t most_runs;
};

/// How many runs of that length a sample has: one, or where the clock's steps are more than 0.5% of
/// it, so many that they are not together, up to `most_runs`.
std::size_t runs_a_sample(double run_us, const Stopwatch& stopwatch);

/// Samples within the limits: the times of single runs or, of runs too short for the clock, the
/// means of batches. Runs begin anywhere between two steps, so that their mean lies there, too.
/// Errors: those of `take`.
Result<std::vector<double>> collect_samples(const SampleLimits& limits, const Stopwatch& stopwatch,
                                            const TakeRuns& take);

/// The smallest difference between two of the values that are not the same to a clock; 0 if there
/// is none. Of times that lie anywhere, it is the step of the clock that gave them.
double smallest_step(std::vector<double> values_us);

/// Robust statistics: a clock change or a neighbour's burst moves the mean, hardly the median.
struct Summary {
  double median_us = 0;
  double mad_us = 0;  ///< Median absolute deviation from the median.
  int samples = 0;
};

/// Whether they lie farther apart than those of a quiet machine do, whose deviation is a percent or
/// two of short runs and less of long ones.
bool scatters(const Summary& summary) noexcept;

/// All zero for no samples.
Summary summarize(std::vector<double> samples_us);

double median(std::vector<double> values);

/// The standard error of the median of so many samples, if they are distributed normally.
double standard_error_us(double mad_us, int samples);

}  // namespace fastnorm::measure
