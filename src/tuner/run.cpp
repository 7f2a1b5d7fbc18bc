/// autotune [run]
#include "core/tuning_store.hpp"
#include "measure/workbench.hpp"
#include "tuner/case_selection.hpp"
#include "tuner/commands.hpp"
#include "tuner/complain.hpp"
#include "tuner/exit_status.hpp"
#include "tuner/interrupt.hpp"
#include "tuner/record.hpp"
#include "tuner/report.hpp"
#include "tuner/search.hpp"
#include "tuner/targets.hpp"
#include "tuner/use_database.hpp"
#include "tuner/workbench_evaluator.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fastnorm::tuner {
namespace {

using measure::Case;

/// A case that the library can run.
struct Job {
  Case workload;
  Problem problem;
};

/// The cases that can be tuned; of those that a database cannot tell apart, the first.
std::vector<Job> make_jobs(const std::vector<Case>& cases, Report& report) {
  std::vector<Job> jobs;
  for (const Case& workload : cases) {
    const Result<NormDesc> desc = to_desc(workload);
    if (!desc.ok()) {
      report.skipped(workload.name, desc.status().message());
      continue;
    }
    const Result<Problem> problem = Problem::create(desc.value());
    const auto same = std::find_if(jobs.begin(), jobs.end(), [&](const Job& job) {
      return share_an_entry(job.problem, problem.value());
    });
    if (same != jobs.end()) {
      report.skipped(workload.name, "the same problem as " + same->workload.name);
      continue;
    }
    jobs.push_back({workload, problem.value()});
  }
  return jobs;
}

/// Where the target's winners go. Error: no path is known.
Result<std::filesystem::path> file_for(const Candidate& target, const Options& options) {
  const std::filesystem::path base =
      options.db.empty() ? user_tuning_path() : std::filesystem::path(options.db);
  if (base.empty()) {
    return Status(
        StatusCode::invalid_argument,
        "no user database is named (FASTNORM_TUNING_DB, XDG_DATA_HOME and HOME say none); "
        "give one with --db");
  }
  return tuning_file_for(base, *target.device);
}

/// A run without a place for its winners would be for nothing.
Status check_database_is_one(const Options& options) {
  if (options.db != no_user_database) return {};
  return {StatusCode::invalid_argument,
          "--db " + options.db + " means no database, but a run writes one; give a folder or a " +
              ".yaml file (./" + options.db + " for a folder of that name)"};
}

/// A file belongs to one device.
Status check_one_device_a_file(const std::vector<Candidate>& targets, const Options& options) {
  if (std::filesystem::path(options.db).extension() != ".yaml") return {};
  for (const Candidate& target : targets) {
    if (target.device == targets.front().device) continue;
    return {StatusCode::invalid_argument,
            "--db " + options.db + " can hold one device, but the run is for " +
                targets.front().device->name + " and " + target.device->name + "; give a folder"};
  }
  return {};
}

/// One target's run over the jobs.
class TargetRun {
 public:
  TargetRun(const Candidate& target, const Options& options, std::filesystem::path file,
            measure::Workbench& workbench, Report& report)
      : target_(target),
        options_(options),
        file_(std::move(file)),
        workbench_(workbench),
        report_(report) {}

  /// Goes over the jobs until they, the budget or the user's patience end.
  /// Errors: what makes going on senseless (the device is lost, the database cannot be written).
  Status run(const std::vector<Job>& jobs, Ledger& ledger) {
    // A database that cannot be written is found out before anything is measured for it.
    if (Status status = write({}); !status.ok()) return status;
    for (const Job& job : jobs) {
      if (interrupted()) return {};
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

 private:
  Status write(std::vector<TuningEntry> entries) const {
    Status status =
        merge_into_file(file_, make_file(target_, workbench_.software(), std::move(entries)));
    // The next cases may be similar to this one.
    forget_tuning_db();
    return status;
  }

  Status tune(const Job& job, Ledger& ledger) {
    const std::string& name = job.workload.name;
    const Allowance allowance = ledger.next_case();
    report_.loading(name, ledger.estimated_seconds_left(0));
    Status loaded = workbench_.load(job.problem.desc(), job.workload.affine, options_.seed);
    if (loaded.code() == StatusCode::out_of_memory) {
      report_.skipped(name, loaded.message());
      return {};
    }
    if (!loaded.ok()) return fail(name, loaded);
    const Result<double> copy_us = workbench_.copy_us(job.problem.moved_bytes());
    if (!copy_us.ok()) return fail(name, copy_us.status());
    if (!allowance.has_time()) {
      // On a slow machine the trials themselves would take many times longer still.
      report_.skipped(name,
                      "loading it took its share of the budget; --case and --budget give more");
      return {};
    }
    const Result<SearchSpace> space =
        make_search_space(job.problem, target_, *current_tuning_db(), options_.seed);
    if (!space.ok()) return fail(name, space.status());

    WorkbenchEvaluator evaluator(job.problem, *target_.device, workbench_);
    SearchControl control;
    control.interrupted = interrupted;
    control.progress = [&](std::size_t evaluated, std::size_t total) {
      const double share = static_cast<double>(evaluated) / static_cast<double>(total);
      report_.progress(name, evaluated, total, ledger.estimated_seconds_left(share));
    };
    const Result<Outcome> outcome = search(space.value(), evaluator, allowance, control);
    if (!outcome.ok() && interrupted()) {
      report_.note("interrupted in " + name + ", whose entry stays as it was");
      return {};
    }
    if (!outcome.ok()) return fail(name, outcome.status());
    ledger.spend(outcome.value().evaluated);
    Status written = write(make_entries(job.problem, target_, outcome.value(), copy_us.value()));
    if (written.ok()) report_.tuned(name, outcome.value(), copy_us.value());
    return written;
  }

  /// The failure of one case; the run's only where the device is lost with it.
  Status fail(const std::string& name, const Status& why) {
    report_.failed(name, why);
    return workbench_.health();
  }

  const Candidate& target_;
  const Options& options_;
  std::filesystem::path file_;
  measure::Workbench& workbench_;
  Report& report_;
};

/// How many tunings share the budget: a job counts for each target that supports it.
std::size_t count_tunings(const std::vector<Job>& jobs, const std::vector<Candidate>& targets) {
  std::size_t count = 0;
  for (const Candidate& target : targets) {
    for (const Job& job : jobs) count += refusals(job.problem, {target}).empty() ? 1 : 0;
  }
  return count;
}

}  // namespace

int run(const Options& options) {
  if (Status status = check_database_is_one(options); !status.ok()) {
    return complain(status, exit_usage);
  }
  const Result<std::vector<Candidate>> targets = select_targets(options);
  if (!targets.ok()) return complain(targets.status(), exit_failed);
  if (Status status = check_one_device_a_file(targets.value(), options); !status.ok()) {
    return complain(status, exit_usage);
  }
  Result<std::vector<Case>> loaded = load_case_file(options);
  if (!loaded.ok()) return complain(loaded.status(), exit_failed);
  const Result<std::vector<Case>> cases = select_cases(std::move(loaded).value(), options);
  if (!cases.ok()) return complain(cases.status(), exit_usage);

  use_database(options.db);
  note_interrupts();
  Report report;
  const std::vector<Job> jobs = make_jobs(cases.value(), report);
  Ledger ledger(options.budget, count_tunings(jobs, targets.value()));
  std::vector<std::string> files;
  Status ended;
  for (const Candidate& target : targets.value()) {
    if (interrupted() || !ended.ok() || jobs.empty()) break;
    const Result<std::filesystem::path> file = file_for(target, options);
    if (!file.ok()) return complain(file.status(), exit_failed);
    // A workbench a target: the buffers of one must not take the memory of the next.
    const auto workbench = measure::make_workbench(*target.device);
    if (!workbench.ok()) return complain(workbench.status(), exit_failed);
    report.begin_target(target, options.budget, jobs.size());
    const std::size_t before = report.tuned_cases();
    ended = TargetRun(target, options, file.value(), *workbench.value(), report).run(jobs, ledger);
    if (report.tuned_cases() > before) files.push_back(file.value().string());
  }
  report.finish(files);
  if (!ended.ok()) return complain(ended, exit_failed);
  if (interrupted()) {
    return complain("interrupted; run the same again to tune the rest", exit_failed);
  }
  if (report.tuned_cases() == 0) return complain("nothing was tuned", exit_failed);
  return report.failed_cases() == 0 ? exit_done : exit_failed;
}

}  // namespace fastnorm::tuner
