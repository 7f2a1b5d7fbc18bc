#include "measure/samples.hpp"

#include <algorithm>
#include <cmath>

namespace fastnorm::measure {

std::size_t SamplePolicy::next_batch(std::size_t taken) const {
  /// Small enough that a slow call overruns its time by little.
  constexpr std::size_t batch = 4;
  const auto at_least = static_cast<std::size_t>(std::max(limits_.at_least, 1));
  const auto at_most = static_cast<std::size_t>(std::max(limits_.at_most, 1));
  if (taken < at_least) return at_least - taken;
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  if (taken >= at_most || elapsed.count() >= limits_.seconds) return 0;
  return std::min(batch, at_most - taken);
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double standard_error_us(double mad_us, int samples) {
  // The standard deviation is 1.4826 times the MAD, the standard error of the median sqrt(pi / 2)
  // times that of the mean.
  constexpr double error_of_one = 1.4826 * 1.2533;
  return error_of_one * mad_us / std::sqrt(static_cast<double>(samples));
}

Summary summarize(std::vector<double> samples_us) {
  Summary summary;
  summary.samples = static_cast<int>(samples_us.size());
  summary.median_us = median(samples_us);
  for (double& sample : samples_us) sample = std::fabs(sample - summary.median_us);
  summary.mad_us = median(std::move(samples_us));
  return summary;
}

}  // namespace fastnorm::measure
