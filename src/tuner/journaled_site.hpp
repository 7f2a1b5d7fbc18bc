// SPDX-License-Identifier: Apache-2.0
/// A site with a journal in front of it: what an earlier session has measured or stored is not
/// asked of the site again.
#pragma once

#include "core/dispatcher.hpp"
#include "tuner/journaled_evaluator.hpp"
#include "tuner/tuning_site.hpp"

#include <cstddef>
#include <optional>

namespace fastnorm::tuner {

class JournaledSite final : public TuningSite {
 public:
  /// `target` is the one with this number in the run; `site` measures there. The references have to
  /// outlive the object.
  JournaledSite(const Candidate& target, std::size_t number, TuningSite& site,
                RecordedRun& recorded, Journal& journal, RunClock& clock)
      : target_(target),
        number_(number),
        site_(site),
        recorded_(recorded),
        journal_(journal),
        clock_(clock) {}

  Result<CaseStart> begin(const Job& job) override;
  Evaluator& evaluator() override { return *evaluator_; }
  Status store(const std::vector<TuningEntry>& winners) override;
  Status restore(const std::vector<TuningEntry>& winners) override;
  Status health() override;

 private:
  Result<CaseStart> begin_now(const Job& job);
  Result<CaseStart> begin_as_recorded(const CaseBegun& begun);

  const Candidate& target_;
  std::size_t number_;
  TuningSite& site_;
  RecordedRun& recorded_;
  Journal& journal_;
  RunClock& clock_;
  TuningNumber tuning_;
  bool stored_ = false;  ///< The case's winners, by an earlier session.
  std::optional<JournaledEvaluator> evaluator_;
  Status written_;
};

}  // namespace fastnorm::tuner
