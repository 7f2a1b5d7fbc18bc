// SPDX-License-Identifier: Apache-2.0
#include "tuner/target_run.hpp"

#include "core/quoted.hpp"
#include "tuner/observed_evaluator.hpp"
#include "tuner/progress_line.hpp"
#include "tuner/record.hpp"
#include "tuner/search.hpp"

namespace fastnorm::tuner {

Status TargetRun::run(const NextJob& next_job, Ledger& ledger) {
  while (!interrupted_()) {
    const Job* next = next_job();
    // It may have been waited for.
    if (next == nullptr || interrupted_()) break;
    const Job& job = *next;
    if (const std::string why = refusals(job.problem, {target_}); !why.empty()) {
      report_.skipped(job.workload.name, why);
      continue;
    }
    if (ledger.exhausted()) {
      report_.skipped(job.workload.name, "no budget is left");
      continue;
    }
    if (Status status = tune(job, ledger); !status.ok()) return status;
  }
  return {};
}

Status TargetRun::tune(const Job& job, Ledger& ledger) {
  const std::string& name = job.workload.name;
  const Allowance allowance = ledger.next_case();
  report_.loading(name, ledger.estimated_seconds_left(0));
  const double before = ledger.clock().spent_seconds();
  const Result<CaseStart> start = site_.begin(job);
  spent_.loading += ledger.clock().spent_seconds() - before;
  if (start.status().code() == StatusCode::out_of_memory) {
    report_.skipped(name, start.status().message());
    return {};
  }
  if (!start.ok()) return fail(name, start.status());
  if (!allowance.has_time()) {
    // On a slow machine the trials themselves would take many times longer still.
    report_.skipped(name, "loading it took its share of the budget; --case and --budget give more");
    return {};
  }
  std::vector<Contender> known;
  if (settings_.proposals == Proposals::database) known = start.value().known;
  const Result<SearchSpace> space = make_search_space(job.problem, target_, known);
  if (!space.ok()) return fail(name, space.status());

  SearchControl control;
  control.interrupted = interrupted_;
  ObservedEvaluator evaluator(site_.evaluator(), ledger.clock(), spent_);
  control.progress = [&](const SearchProgress& progress) {
    evaluator.enter(progress.phase);
    report_.progress(name, progress, ledger.estimated_seconds_left(share_done(progress)));
  };
  const Result<Outcome> outcome =
      search(space.value(), evaluator, settings_.search, allowance, control);
  if (!outcome.ok() && interrupted_()) {
    report_.note("interrupted in " + shortened(name, longest_name) +
                 ", whose entry stays as it was");
    return {};
  }
  if (!outcome.ok()) return fail(name, outcome.status());
  ledger.spend(outcome.value().evaluated);
  Status stored = site_.store(
      make_entries(job.problem, target_, outcome.value(), start.value(), evaluator.disturbed()));
  if (stored.ok()) report_.tuned(name, outcome.value(), start.value().copy_us);
  return stored;
}

/// The failure of one case; the run's only where it cannot go on.
Status TargetRun::fail(const std::string& name, const Status& why) {
  const Status health = site_.health();
  if (!health.ok()) return {health.code(), name + ": " + why.message()};
  report_.failed(name, why);
  return {};
}

}  // namespace fastnorm::tuner
