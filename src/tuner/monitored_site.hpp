// SPDX-License-Identifier: Apache-2.0
/// A site whose measurements are watched: those that a slowdown of the device has disturbed are
/// repeated.
#pragma once

#include "core/disturbances.hpp"
#include "measure/monitor.hpp"
#include "tuner/tuning_site.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace fastnorm::tuner {

/// When a measurement is taken again.
struct RepeatPolicy {
  int attempts = 3;                      ///< Of a measurement, the first included.
  std::chrono::milliseconds pause{200};  ///< Before each repetition, for the device to cool.
  int in_vain = 5;  ///< After so many that did not help, the next are not repeated at first.
};

/// What other load disturbs is marked and not repeated: there is no telling when that ends.
class MonitoredEvaluator final : public Evaluator {
 public:
  /// Whatever the site's evaluator is at the time. The references have to outlive the object.
  MonitoredEvaluator(TuningSite& site, measure::Monitor& monitor, const RepeatPolicy& policy)
      : site_(site), monitor_(monitor), policy_(policy) {}

  Status verify(const Contender& contender) override { return site_.evaluator().verify(contender); }
  Status verify_in_place(const Contender& contender) override {
    return site_.evaluator().verify_in_place(contender);
  }
  Result<std::vector<double>> time(const Contender& contender,
                                   const measure::SampleLimits& limits) override;
  Disturbances disturbances() const override { return disturbances_; }
  Status health() override { return site_.evaluator().health(); }

  /// How many measurements there were, and were disturbed, in words; empty where none was.
  std::string tally() const;

 private:
  Result<std::vector<double>> time_once(const Contender& contender,
                                        const measure::SampleLimits& limits);

  TuningSite& site_;
  measure::Monitor& monitor_;
  RepeatPolicy policy_;
  Disturbances disturbances_;  ///< Of the last one.
  int in_vain_ = 0;            ///< Measurements that repetitions did not help, one after the other.

  std::size_t measurements_ = 0;
  std::size_t disturbed_ = 0;
  std::array<std::size_t, all_disturbances.size()> by_kind_{};
};

class MonitoredSite final : public TuningSite {
 public:
  /// The references have to outlive the object.
  MonitoredSite(TuningSite& site, measure::Monitor& monitor, const RepeatPolicy& policy = {})
      : site_(site), monitor_(monitor), evaluator_(site, monitor, policy) {}

  Result<CaseStart> begin(const Job& job) override { return site_.begin(job); }
  Evaluator& evaluator() override { return evaluator_; }
  Status store(const std::vector<TuningEntry>& winners) override { return site_.store(winners); }
  Status restore(const std::vector<TuningEntry>& winners) override {
    return site_.restore(winners);
  }
  Status health() override { return site_.health(); }

  /// What the user should know of the measurements when they have ended.
  std::vector<std::string> closing_notes() const;

 private:
  TuningSite& site_;
  measure::Monitor& monitor_;
  MonitoredEvaluator evaluator_;
};

}  // namespace fastnorm::tuner
