/// How many samples a measurement takes, and what is kept of them.
#pragma once

#include <chrono>
#include <cstddef>
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

/// Robust statistics: a clock change or a neighbour's burst moves the mean, hardly the median.
struct Summary {
  double median_us = 0;
  double mad_us = 0;  ///< Median absolute deviation from the median.
  int samples = 0;
};

/// All zero for no samples.
Summary summarize(std::vector<double> samples_us);

double median(std::vector<double> values);

/// The standard error of the median of so many samples, if they are distributed normally.
double standard_error_us(double mad_us, int samples);

}  // namespace fastnorm::measure
