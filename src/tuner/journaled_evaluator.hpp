// SPDX-License-Identifier: Apache-2.0
/// An evaluator that measures what the journal does not know yet, and writes it down.
#pragma once

#include "tuner/evaluator.hpp"
#include "tuner/journal.hpp"
#include "tuner/recorded_run.hpp"
#include "tuner/run_clock.hpp"
#include "tuner/tuning_site.hpp"

#include <utility>

namespace fastnorm::tuner {

/// Whether the device has the case's data already.
enum class CaseData { loaded, not_loaded };

/// For one case. The device takes it up at the first question that the journal cannot answer.
class JournaledEvaluator final : public Evaluator {
 public:
  JournaledEvaluator(TuningNumber tuning, const Job& job, CaseData data, RecordedCase recorded,
                     TuningSite& site, Journal& journal, RunClock& clock)
      : tuning_(tuning),
        job_(job),
        data_(data),
        recorded_(std::move(recorded)),
        site_(site),
        journal_(journal),
        clock_(clock) {}

  Status verify(const Contender& contender) override;
  Status verify_in_place(const Contender& contender) override;
  Result<std::vector<double>> time(const Contender& contender,
                                   const measure::SampleLimits& limits) override;
  Disturbances disturbances() const override { return disturbances_; }

  /// Failure, too, where the case could not be taken up or the journal not be written.
  Status health() override;

  /// That of the journal, which ends the run.
  const Status& journal_health() const noexcept { return written_; }

 private:
  Status verify(const Contender& contender, Placement placement);
  Status take_up();
  Status write(const JournalRecord& record);

  TuningNumber tuning_;
  const Job& job_;
  CaseData data_;
  RecordedCase recorded_;
  TuningSite& site_;
  Journal& journal_;
  RunClock& clock_;
  Disturbances disturbances_;
  Status taken_up_;
  Status written_;
};

}  // namespace fastnorm::tuner
