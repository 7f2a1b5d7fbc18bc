#include "tuner/journaled_run.hpp"

#include "tuner/budget.hpp"
#include "tuner/interrupt.hpp"
#include "tuner/journaled_site.hpp"
#include "tuner/target_run.hpp"

namespace fastnorm::tuner {
namespace {

/// How many tunings share the budget: a job counts for each target that supports it.
std::size_t count_tunings(const std::vector<Job>& jobs, const std::vector<Candidate>& targets) {
  std::size_t count = 0;
  for (const Candidate& target : targets) {
    for (const Job& job : jobs) count += refusals(job.problem, {target}).empty() ? 1 : 0;
  }
  return count;
}

}  // namespace

Status JournaledRun::run(std::vector<Place>& places) {
  // A database that cannot be written is found out before anything is measured for it.
  for (const Place& place : places) {
    if (Status status = site_at(place).store({}); !status.ok()) return status;
  }
  std::vector<Candidate> targets;
  for (const Place& place : places) targets.push_back(place.target);
  Ledger ledger(options_.budget, count_tunings(jobs_, targets), clock_);
  for (std::size_t number = 0; number < places.size() && !interrupted(); ++number) {
    if (Status status = run_at(places[number], number, ledger); !status.ok()) return status;
    // Its buffers must not take the memory of the next.
    places[number].worker.reset();
  }
  return {};
}

DeviceSite JournaledRun::site_at(const Place& place) const {
  return DeviceSite(place.target, *place.worker, place.software, place.file, journal_.run().utc,
                    options_.seed);
}

Status JournaledRun::run_at(const Place& place, std::size_t number, Ledger& ledger) {
  report_.begin_target(place.target, options_.budget, jobs_.size());
  const std::size_t before = report_.tuned_cases();
  DeviceSite device = site_at(place);
  JournaledSite site(place.target, number, device, recorded_, journal_, clock_);
  Status ended =
      TargetRun(place.target, site, options_.seed, report_, interrupted).run(jobs_, ledger);
  if (report_.tuned_cases() > before) files_.push_back(place.file.string());
  return ended;
}

}  // namespace fastnorm::tuner
