// SPDX-License-Identifier: Apache-2.0
#include "tuner/recheck_entry.hpp"

#include "core/disturbances.hpp"
#include "tuner/entry_job.hpp"
#include "tuner/observed_evaluator.hpp"
#include "tuner/record.hpp"
#include "tuner/run_clock.hpp"
#include "tuner/strategy_problem.hpp"

#include <algorithm>
#include <utility>

namespace fastnorm::tuner {
namespace {

Rechecked useless(std::string reason) { return {Verdict::useless, std::move(reason), {}}; }

/// What disturbed the times of either. That samples scatter is no reason to think one wrong: the
/// final allows for it.
Disturbances disturbances_of(const ObservedEvaluator& evaluator) {
  Disturbances all;
  for (const auto& [contender, disturbances] : evaluator.disturbed()) {
    for (const Disturbance one : all_disturbances) {
      if (one != Disturbance::scatter && disturbances.contains(one)) all |= one;
    }
  }
  return all;
}

}  // namespace

Result<Rechecked> recheck(const TuningEntry& entry, Rivals rivals, const Candidate& target,
                          TuningSite& site, const std::function<bool()>& interrupted) {
  if (const std::string problem = strategy_problem(*target.backend, entry); !problem.empty()) {
    return Status(StatusCode::unsupported, problem + "; it stays for a library that can use it");
  }
  const Result<Job> job = job_of(entry);
  if (!job.ok()) return useless(job.status().message());
  const Result<Contender> contender =
      Contender::parse(entry.strategy + " " + to_string(entry.config), *target.backend);
  if (!contender.ok()) return contender.status();
  const Support support = contender.value().variant->supports(job.value().problem, *target.device,
                                                              contender.value().config);
  if (!support.ok) return useless(support.reason);
  PlanOptions options;
  options.deterministic = rivals == Rivals::deterministic;
  const Result<Selection> selection = choose(job.value().problem, {target}, TuningDb(), options);
  if (!selection.ok()) return selection.status();
  const Contender standard{selection.value().variant, selection.value().config};
  const bool is_default = standard.text() == contender.value().text();

  const Result<CaseStart> start = site.begin(job.value());
  if (!start.ok()) return start.status();
  SearchSpace space;
  space.contenders = {standard};
  if (!is_default) space.contenders.push_back(contender.value());
  SearchControl control;
  control.interrupted = interrupted;
  const RunClock clock;
  TimeSpent spent;
  ObservedEvaluator evaluator(site.evaluator(), clock, spent);
  evaluator.enter(SearchPhase::final_round);  // There is nothing else.
  Result<Outcome> outcome =
      search(space, evaluator, {SearchMethod::exhaustive}, Allowance::unlimited(), control);
  if (!outcome.ok()) return outcome.status();
  Choice& best = outcome.value().best;
  const std::vector<Rejection>& rejected = outcome.value().rejected;
  const Disturbances disturbed = disturbances_of(evaluator);
  if (best.winner.contender.text() == contender.value().text()) {
    Rechecked stays{is_default ? Verdict::is_default : Verdict::wins, "", best};
    if (disturbed.empty()) stays.stats = stats_of(best, start.value(), evaluator.disturbed());
    return stays;
  }
  if (rejected.empty() && !disturbed.empty()) {
    return Status(StatusCode::unavailable, "the measurements were disturbed (" +
                                               to_string(disturbed) +
                                               "); check it again when that has passed");
  }
  const std::string reason = rejected.empty() ? "the default, " + standard.text() + ", is as fast"
                                              : rejected.front().reason;
  return Rechecked{Verdict::loses, reason, std::move(best)};
}

Result<Rechecked> EntriesRecheck::check(const TuningEntry& entry,
                                        const std::function<bool()>& interrupted) {
  Result<Rechecked> result = recheck(entry, rivals_of(entry), target_, site_, interrupted);
  if (result.ok() && !keeps_place(result.value().verdict)) lost_.insert(&entry);
  return result;
}

Rivals EntriesRecheck::rivals_of(const TuningEntry& entry) const {
  if (!entry.key.deterministic) return Rivals::all;
  TuningKey faster = entry.key;
  faster.deterministic = false;
  const auto is_beside = [&](const TuningEntry& other) {
    return other.key == faster && other.shape == entry.shape && lost_.count(&other) == 0;
  };
  return std::any_of(entries_.begin(), entries_.end(), is_beside) ? Rivals::deterministic
                                                                  : Rivals::all;
}

}  // namespace fastnorm::tuner
