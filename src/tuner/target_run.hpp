// SPDX-License-Identifier: Apache-2.0
/// The run over the cases of one target.
#pragma once

#include "core/dispatcher.hpp"
#include "tuner/budget.hpp"
#include "tuner/jobs.hpp"
#include "tuner/observed_evaluator.hpp"
#include "tuner/report.hpp"
#include "tuner/search.hpp"
#include "tuner/tuning_site.hpp"

#include <fastnorm/status.hpp>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace fastnorm::tuner {

/// How each case is searched.
struct TuningSettings {
  SearchSettings search;
  Proposals proposals = Proposals::database;
};

/// Follows from the target, the jobs, the settings and what the site answers; the clock of the
/// ledger moves with the site's answers.
class TargetRun {
 public:
  /// The references have to outlive the object.
  TargetRun(const Candidate& target, TuningSite& site, const TuningSettings& settings,
            Report& report, std::function<bool()> interrupted)
      : target_(target),
        site_(site),
        settings_(settings),
        report_(report),
        interrupted_(std::move(interrupted)) {}

  /// The next case; null where there is none.
  using NextJob = std::function<const Job*()>;

  /// Goes over the jobs until they, the budget or the user's patience end.
  /// Errors: what makes going on senseless (nothing can be measured any more, the database or the
  /// journal cannot be written).
  Status run(const NextJob& next_job, Ledger& ledger);

  /// By the ledger's clock.
  const TimeSpent& spent() const noexcept { return spent_; }

 private:
  Status tune(const Job& job, Ledger& ledger);
  Status fail(const std::string& name, const Status& why);

  const Candidate& target_;
  TuningSite& site_;
  TuningSettings settings_;
  Report& report_;
  std::function<bool()> interrupted_;
  TimeSpent spent_;
};

}  // namespace fastnorm::tuner
