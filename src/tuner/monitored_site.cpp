// SPDX-License-Identifier: Apache-2.0
#include "tuner/monitored_site.hpp"

#include "core/counted.hpp"

#include <thread>

namespace fastnorm::tuner {
namespace {

/// Slowdowns pass when the device has had a rest.
bool may_pass(Disturbances disturbances) {
  for (const Disturbance one : {Disturbance::thermal_slowdown, Disturbance::power_brake,
                                Disturbance::hardware_slowdown, Disturbance::low_clock}) {
    if (disturbances.contains(one)) return true;
  }
  return false;
}

}  // namespace

Result<std::vector<double>> MonitoredEvaluator::time(const Contender& contender,
                                                     const measure::SampleLimits& limits) {
  for (int attempt = 1;; ++attempt) {
    Result<std::vector<double>> samples = time_once(contender, limits);
    if (!samples.ok()) return samples;
    if (!may_pass(disturbances_)) {
      in_vain_ = 0;
      return samples;
    }
    if (in_vain_ >= policy_.in_vain) return samples;
    if (attempt >= policy_.attempts) {
      ++in_vain_;
      return samples;
    }
    std::this_thread::sleep_for(policy_.pause);
  }
}

Result<std::vector<double>> MonitoredEvaluator::time_once(const Contender& contender,
                                                          const measure::SampleLimits& limits) {
  monitor_.begin();
  Result<std::vector<double>> samples = site_.evaluator().time(contender, limits);
  disturbances_ = monitor_.end();
  ++measurements_;
  if (disturbances_.empty()) return samples;
  ++disturbed_;
  for (std::size_t i = 0; i < all_disturbances.size(); ++i) {
    if (disturbances_.contains(all_disturbances[i])) ++by_kind_[i];
  }
  return samples;
}

std::string MonitoredEvaluator::tally() const {
  if (disturbed_ == 0) return {};
  std::string kinds;
  for (std::size_t i = 0; i < all_disturbances.size(); ++i) {
    if (by_kind_[i] == 0) continue;
    kinds += (kinds.empty() ? "" : ", ") + std::string(to_string(all_disturbances[i])) + " " +
             std::to_string(by_kind_[i]);
  }
  return std::to_string(disturbed_) + " of " +
         counted(measurements_, "measurement", "measurements") +
         (disturbed_ == 1 ? " was" : " were") + " disturbed (" + kinds +
         "); entries that rest on such a one say so (disturbed_by)";
}

std::vector<std::string> MonitoredSite::closing_notes() const {
  std::vector<std::string> notes = monitor_.closing_notes();
  if (const std::string tally = evaluator_.tally(); !tally.empty()) notes.push_back(tally);
  return notes;
}

}  // namespace fastnorm::tuner
