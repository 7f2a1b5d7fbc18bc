// SPDX-License-Identifier: Apache-2.0
#include "tuner/journaled_evaluator.hpp"

#include <optional>
#include <string>

namespace fastnorm::tuner {

Status JournaledEvaluator::verify(const Contender& contender) {
  return verify(contender, Placement::beside);
}

Status JournaledEvaluator::verify_in_place(const Contender& contender) {
  return verify(contender, Placement::in_place);
}

Status JournaledEvaluator::verify(const Contender& contender, Placement placement) {
  const std::string text = contender.text();
  if (const std::optional<Verified> known = recorded_.take_verified(text, placement)) {
    clock_.repeat(known->took);
    return known->status;
  }
  if (Status status = take_up(); !status.ok()) return status;
  Evaluator& evaluator = site_.evaluator();
  Status status = placement == Placement::in_place ? evaluator.verify_in_place(contender)
                                                   : evaluator.verify(contender);
  if (!status.ok() && !evaluator.health().ok()) return status;
  Status written = write(Verified{tuning_, clock_.lap(), text, placement, status});
  return written.ok() ? status : written;
}

Result<std::vector<double>> JournaledEvaluator::time(const Contender& contender,
                                                     const measure::SampleLimits& limits) {
  const std::string text = contender.text();
  if (std::optional<Timed> known = recorded_.take_timed(text, limits)) {
    clock_.repeat(known->took);
    disturbances_ = known->disturbances;
    if (!known->status.ok()) return known->status;
    return std::move(known->samples_us);
  }
  if (Status status = take_up(); !status.ok()) return status;
  Evaluator& evaluator = site_.evaluator();
  Result<std::vector<double>> samples = evaluator.time(contender, limits);
  if (!samples.ok() && !evaluator.health().ok()) return samples;
  disturbances_ = evaluator.disturbances();
  Timed record{tuning_, clock_.lap(), text, limits, samples.status(), disturbances_, {}};
  if (samples.ok()) record.samples_us = samples.value();
  if (Status written = write(record); !written.ok()) return written;
  return samples;
}

Status JournaledEvaluator::health() {
  if (!written_.ok()) return written_;
  return taken_up_.ok() ? site_.evaluator().health() : taken_up_;
}

Status JournaledEvaluator::take_up() {
  if (data_ == CaseData::loaded) return taken_up_;
  data_ = CaseData::loaded;
  // The copy ceiling stays the recorded one, and the database's proposals are in the search space.
  taken_up_ = site_.begin(job_).status();
  // The unbroken run loaded the case once.
  clock_.skip();
  return taken_up_;
}

Status JournaledEvaluator::write(const JournalRecord& record) {
  if (written_.ok()) written_ = journal_.append(record);
  return written_;
}

}  // namespace fastnorm::tuner
