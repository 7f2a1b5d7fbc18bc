// SPDX-License-Identifier: Apache-2.0
#include "tuner/observed_evaluator.hpp"

namespace fastnorm::tuner {
namespace {

/// Adds what passes during its life to an account.
class Passing {
 public:
  Passing(const RunClock& clock, double& account)
      : clock_(clock), account_(account), start_(clock.spent_seconds()) {}
  ~Passing() { account_ += clock_.spent_seconds() - start_; }
  Passing(const Passing&) = delete;
  Passing& operator=(const Passing&) = delete;

 private:
  const RunClock& clock_;
  double& account_;
  double start_;
};

}  // namespace

double& ObservedEvaluator::account(double& of_trials) const noexcept {
  return phase_ == SearchPhase::trials ? of_trials : spent_.finals;
}

Status ObservedEvaluator::verify(const Contender& contender) {
  const Passing passing(clock_, account(spent_.verifying));
  return evaluator_.verify(contender);
}

Status ObservedEvaluator::verify_in_place(const Contender& contender) {
  const Passing passing(clock_, account(spent_.verifying));
  return evaluator_.verify_in_place(contender);
}

Result<std::vector<double>> ObservedEvaluator::time(const Contender& contender,
                                                    const measure::SampleLimits& limits) {
  const Passing passing(clock_, account(spent_.timing));
  Result<std::vector<double>> samples = evaluator_.time(contender, limits);
  if (phase_ == SearchPhase::final_round) {
    disturbed_[contender.text()] |= evaluator_.disturbances();
  }
  return samples;
}

}  // namespace fastnorm::tuner
