// SPDX-License-Identifier: Apache-2.0
#include "measure/samples.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

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

std::size_t runs_a_sample(double run_us, const Stopwatch& stopwatch) {
  constexpr double steps_wanted = 200;
  const double runs = std::ceil(steps_wanted * stopwatch.step_us / run_us);
  if (!(runs < static_cast<double>(stopwatch.most_runs))) return stopwatch.most_runs;
  return static_cast<std::size_t>(std::max(runs, 1.0));
}

Result<std::vector<double>> collect_samples(const SampleLimits& limits, const Stopwatch& stopwatch,
                                            const TakeRuns& take) {
  const SamplePolicy policy(limits);
  Result<std::vector<double>> samples = take(1);
  if (!samples.ok()) return samples;
  std::vector<double>& taken = samples.value();
  const std::size_t batch = runs_a_sample(taken.front(), stopwatch);
  if (batch > 1) taken.clear();
  while (const std::size_t wanted =
             std::min(policy.next_batch(taken.size()),
                      std::max(stopwatch.most_runs / batch, std::size_t{1}))) {
    const Result<std::vector<double>> runs = take(wanted * batch);
    if (!runs.ok()) return runs;
    for (auto first = runs.value().begin(); first != runs.value().end();) {
      const auto last = first + static_cast<std::ptrdiff_t>(batch);
      taken.push_back(std::accumulate(first, last, 0.0) / static_cast<double>(batch));
      first = last;
    }
  }
  return samples;
}

double smallest_step(std::vector<double> values_us) {
  // A nanosecond is the unit in which clocks answer; less is rounding.
  constexpr double least_us = 0.5e-3;
  std::sort(values_us.begin(), values_us.end());
  double step = 0;
  for (std::size_t i = 1; i < values_us.size(); ++i) {
    const double difference = values_us[i] - values_us[i - 1];
    if (difference > least_us && (step == 0 || difference < step)) step = difference;
  }
  return step;
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

bool scatters(const Summary& summary) noexcept {
  constexpr double unusual = 0.05;
  return summary.mad_us > unusual * summary.median_us;
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
