// SPDX-License-Identifier: Apache-2.0
#include "replay_evaluator.hpp"

#include <algorithm>
#include <cstddef>

namespace fastnorm::bench {

using tuner::Contender;
using tuner::RecordedTrial;

ReplayEvaluator::ReplayEvaluator(const tuner::RecordedSearch& recorded, std::uint64_t seed)
    : random_(seed) {
  for (std::size_t i = 0; i < recorded.trials.size(); ++i) {
    trials_[recorded.space.contenders[i].text()] = &recorded.trials[i];
  }
}

Status ReplayEvaluator::verify(const Contender& contender) {
  const RecordedTrial& trial = *trials_.at(contender.text());
  return trial.failure.empty() ? Status() : Status(StatusCode::device_error, trial.failure);
}

Result<std::vector<double>> ReplayEvaluator::time(const Contender& contender,
                                                  const measure::SampleLimits& limits) {
  if (Status status = verify(contender); !status.ok()) return status;
  const std::vector<double>& recorded = trials_.at(contender.text())->samples_us;
  const double in_time = 1e6 * limits.seconds / measure::median(recorded);
  const int count = std::clamp(static_cast<int>(std::min(in_time, 1e6)), limits.at_least,
                               std::max(limits.at_least, limits.at_most));
  std::uniform_int_distribution<std::size_t> place(0, recorded.size() - 1);
  std::vector<double> samples(static_cast<std::size_t>(count));
  for (double& sample : samples) sample = recorded[place(random_)];
  return samples;
}

}  // namespace fastnorm::bench
