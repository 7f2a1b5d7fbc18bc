// SPDX-License-Identifier: Apache-2.0
#include "tuner/journaled_site.hpp"

#include <string>
#include <utility>
#include <vector>

namespace fastnorm::tuner {

Result<CaseStart> JournaledSite::begin(const Job& job) {
  tuning_ = {number_, job.number};
  RecordedCase recorded = std::move(recorded_[tuning_]);
  stored_ = recorded.stored;
  const CaseData data = recorded.begun ? CaseData::not_loaded : CaseData::loaded;
  Result<CaseStart> start = recorded.begun ? begin_as_recorded(*recorded.begun) : begin_now(job);
  if (start.ok()) {
    evaluator_.emplace(tuning_, job, data, std::move(recorded), site_, journal_, clock_);
  }
  return start;
}

Result<CaseStart> JournaledSite::begin_as_recorded(const CaseBegun& begun) {
  clock_.repeat(begun.took);
  CaseStart start;
  start.copy_us = begun.copy_us;
  start.copy_mad_us = begun.copy_mad_us;
  for (const std::string& text : begun.known) {
    Result<Contender> contender = Contender::parse(text, *target_.backend);
    if (!contender.ok()) return contender.status();
    start.known.push_back(std::move(contender).value());
  }
  return start;
}

Result<CaseStart> JournaledSite::begin_now(const Job& job) {
  Result<CaseStart> start = site_.begin(job);
  CaseBegun begun{tuning_, clock_.lap(), 0, 0, {}};
  // A case without room may find some in another session.
  if (!start.ok()) return start;
  begun.copy_us = start.value().copy_us;
  begun.copy_mad_us = start.value().copy_mad_us;
  for (const Contender& contender : start.value().known) begun.known.push_back(contender.text());
  written_ = journal_.append(begun);
  if (!written_.ok()) return written_;
  return start;
}

Status JournaledSite::store(const std::vector<TuningEntry>& winners) {
  // Somebody may have stored better ones since then.
  if (stored_) return restore(winners);
  written_ = journal_.sync();
  if (!written_.ok()) return written_;
  if (Status status = site_.store(winners); !status.ok()) return status;
  written_ = journal_.append(WinnersStored{tuning_});
  return written_;
}

Status JournaledSite::restore(const std::vector<TuningEntry>& winners) {
  return site_.restore(winners);
}

Status JournaledSite::health() {
  if (!written_.ok()) return written_;
  if (evaluator_ && !evaluator_->journal_health().ok()) return evaluator_->journal_health();
  return site_.health();
}

}  // namespace fastnorm::tuner
