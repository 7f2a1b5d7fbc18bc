#include "tuner/target_run.hpp"

#include "tuner/record.hpp"
#include "tuner/search.hpp"

#include <cstddef>

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
  const Result<CaseStart> start = site_.begin(job);
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
  control.progress = [&](std::size_t evaluated, std::size_t total) {
    const double share = static_cast<double>(evaluated) / static_cast<double>(total);
    report_.progress(name, evaluated, total, ledger.estimated_seconds_left(share));
  };
  const Result<Outcome> outcome =
      search(space.value(), site_.evaluator(), settings_.search, allowance, control);
  if (!outcome.ok() && interrupted_()) {
    report_.note("interrupted in " + name + ", whose entry stays as it was");
    return {};
  }
  if (!outcome.ok()) return fail(name, outcome.status());
  ledger.spend(outcome.value().evaluated);
  const double copy_us = start.value().copy_us;
  Status stored = site_.store(make_entries(job.problem, target_, outcome.value(), copy_us));
  if (stored.ok()) report_.tuned(name, outcome.value(), copy_us);
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
