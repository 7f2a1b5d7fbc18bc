// SPDX-License-Identifier: Apache-2.0
/// An evaluator that keeps account of what a case's search has cost, and of what disturbed its
/// final.
#pragma once

#include "core/disturbances.hpp"
#include "tuner/evaluator.hpp"
#include "tuner/run_clock.hpp"
#include "tuner/search.hpp"

#include <map>
#include <string>
#include <vector>

namespace fastnorm::tuner {

/// Seconds, by what they were spent on.
struct TimeSpent {
  double loading = 0;    ///< Data, references and the copy ceiling.
  double verifying = 0;  ///< Of candidates that were tried.
  double timing = 0;     ///< Likewise.
  double finals = 0;     ///< Measuring the finalists and verifying winners.
};

/// What disturbed the measurements of contenders, by their text.
using DisturbedContenders = std::map<std::string, Disturbances>;

class ObservedEvaluator final : public Evaluator {
 public:
  /// Time passes by `clock`, and is added to `spent`. The references have to outlive the object.
  ObservedEvaluator(Evaluator& evaluator, const RunClock& clock, TimeSpent& spent)
      : evaluator_(evaluator), clock_(clock), spent_(spent) {}

  /// What is evaluated from now on belongs to this phase; at first, to the trials.
  void enter(SearchPhase phase) noexcept { phase_ = phase; }

  Status verify(const Contender& contender) override;
  Status verify_in_place(const Contender& contender) override;
  Result<std::vector<double>> time(const Contender& contender,
                                   const measure::SampleLimits& limits) override;
  Disturbances disturbances() const override { return evaluator_.disturbances(); }
  Status health() override { return evaluator_.health(); }

  /// In the final.
  const DisturbedContenders& disturbed() const noexcept { return disturbed_; }

 private:
  double& account(double& of_trials) const noexcept;

  Evaluator& evaluator_;
  const RunClock& clock_;
  TimeSpent& spent_;
  SearchPhase phase_ = SearchPhase::trials;
  DisturbedContenders disturbed_;
};

}  // namespace fastnorm::tuner
