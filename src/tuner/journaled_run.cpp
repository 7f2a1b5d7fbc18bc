// SPDX-License-Identifier: Apache-2.0
#include "tuner/journaled_run.hpp"

#include "tuner/budget.hpp"
#include "tuner/interrupt.hpp"
#include "tuner/job_queue.hpp"
#include "tuner/journaled_site.hpp"
#include "tuner/monitored_site.hpp"
#include "tuner/target_run.hpp"

#include <algorithm>
#include <thread>
#include <variant>

namespace fastnorm::tuner {

bool are_alike(const DeviceInfo& a, const DeviceInfo& b) {
  return match(DeviceKey::of(a), DeviceKey::of(b)) == DeviceMatch::exact;
}

namespace {

std::string name_of(int gpu) { return "GPU " + std::to_string(gpu); }

}  // namespace

TuningSettings tuning_settings(const Options& options) {
  return {{options.search, options.seed}, options.proposals};
}

Status JournaledRun::run(std::vector<Place>& places) {
  // A database that cannot be written is found out before anything is measured for it.
  for (const Place& place : places) {
    if (Status status = site_at(place).store({}); !status.ok()) return status;
  }
  const std::vector<Stage> stages = stages_of(places);
  const Ledger ledger(options_.budget, count_tunings(places, stages), clock_);
  for (const Stage& stage : stages) {
    if (interrupted()) break;
    if (Status status = run_stage(places, stage, ledger); !status.ok()) return status;
  }
  return {};
}

DeviceSite JournaledRun::site_at(const Place& place) const {
  return DeviceSite(place.target, *place.worker, place.software, place.file, journal_.run().utc,
                    options_.seed);
}

std::vector<JournaledRun::Stage> JournaledRun::stages_of(const std::vector<Place>& places) {
  std::vector<Stage> stages;
  for (std::size_t number = 0; number < places.size(); ++number) {
    const Candidate& target = places[number].target;
    const Candidate& before = places[number > 0 ? number - 1 : 0].target;
    const bool shares =
        number > 0 && target.backend == before.backend && are_alike(*target.device, *before.device);
    if (shares) {
      ++stages.back().count;
    } else {
      stages.push_back({number, 1});
    }
  }
  return stages;
}

std::size_t JournaledRun::count_tunings(const std::vector<Place>& places,
                                        const std::vector<Stage>& stages) const {
  std::size_t count = 0;
  for (const Stage& stage : stages) {
    for (const Job& job : jobs_) {
      count += refusals(job.problem, {places[stage.first].target}).empty() ? 1 : 0;
    }
  }
  return count;
}

std::vector<TuningNumber> JournaledRun::begun_in(const Stage& stage) const {
  std::vector<TuningNumber> begun;
  // One device finds its cases in the order of the run.
  if (stage.count == 1) return begun;
  for (const JournalRecord& record : journal_.records()) {
    const CaseBegun* of_case = std::get_if<CaseBegun>(&record);
    if (of_case == nullptr) continue;
    const std::size_t target = of_case->tuning.target;
    if (target >= stage.first && target < stage.first + stage.count) {
      begun.push_back(of_case->tuning);
    }
  }
  return begun;
}

Status JournaledRun::run_stage(std::vector<Place>& places, const Stage& stage,
                               const Ledger& ledger) {
  for (std::size_t i = 0; i < stage.count; ++i) {
    const Place& place = places[stage.first + i];
    note(place, place.monitor->opening_notes());
  }
  report_.begin_target(places[stage.first].target, stage.count, options_.budget, jobs_.size());
  const std::size_t before = report_.tuned_cases();
  JobQueue queue(jobs_, begun_in(stage));
  clock_.skip();
  std::vector<Ended> ended(stage.count, Ended{clock_, {}});
  std::vector<std::thread> others;
  const auto run_one = [&](std::size_t i) {
    const std::size_t number = stage.first + i;
    run_at(places[number], number, queue, Ledger(ledger, stage.count, ended[i].clock), ended[i]);
  };
  for (std::size_t i = 1; i < stage.count; ++i) others.emplace_back(run_one, i);
  run_one(0);
  for (std::thread& other : others) other.join();

  for (const Ended& one : ended) {
    if (one.clock.spent() > clock_.spent()) clock_ = one.clock;
  }
  if (report_.tuned_cases() > before) files_.push_back(places[stage.first].file.string());
  return conclude(places, stage, ended);
}

/// Of chosen GPUs, each says which one it is.
void JournaledRun::note(const Place& place, const std::vector<std::string>& notes) {
  const std::string prefix = place.gpu ? name_of(*place.gpu) + ": " : "";
  for (const std::string& text : notes) report_.note(prefix + text);
}

void JournaledRun::run_at(Place& place, std::size_t number, JobQueue& queue, Ledger ledger,
                          Ended& ended) {
  RecordedRun recorded = recorded_run(journal_.records());
  DeviceSite device = site_at(place);
  MonitoredSite monitored(device, *place.monitor);
  JournaledSite site(place.target, number, monitored, recorded, journal_, ended.clock);
  TargetRun run(place.target, site, tuning_settings(options_), report_, interrupted);
  ended.status = run.run([&] { return queue.next(number); }, ledger);
  report_.spent(run.spent());
  note(place, monitored.closing_notes());
  if (ended.status.ok()) {
    queue.leave(number);
  } else {
    ledger.hand_on_case();
    queue.give_up(number);
  }
  // Its buffers must not take the memory of the next.
  place.worker.reset();
}

Status JournaledRun::conclude(const std::vector<Place>& places, const Stage& stage,
                              const std::vector<Ended>& ended) {
  const auto failed = [](const Ended& one) { return !one.status.ok(); };
  if (std::all_of(ended.begin(), ended.end(), failed)) return ended.front().status;
  for (std::size_t i = 0; i < ended.size(); ++i) {
    if (!failed(ended[i])) continue;
    const Place& place = places[stage.first + i];
    const std::string name = place.gpu ? name_of(*place.gpu) : "a device";
    lost_devices_.push_back(
        name + " could not go on, and the others took over: " + ended[i].status.message());
  }
  return {};
}

}  // namespace fastnorm::tuner
