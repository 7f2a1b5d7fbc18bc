// SPDX-License-Identifier: Apache-2.0
/// autotune [run]
#include "core/tuning_store.hpp"
#include "measure/monitor.hpp"
#include "measure/space.hpp"
#include "tuner/case_selection.hpp"
#include "tuner/commands.hpp"
#include "tuner/complain.hpp"
#include "tuner/database_path.hpp"
#include "tuner/exit_status.hpp"
#include "tuner/interrupt.hpp"
#include "tuner/inventory.hpp"
#include "tuner/journaled_run.hpp"
#include "tuner/record.hpp"
#include "tuner/recording.hpp"
#include "tuner/recording_target.hpp"
#include "tuner/report.hpp"
#include "tuner/run_identity.hpp"
#include "tuner/suspension.hpp"
#include "tuner/targets.hpp"
#include "tuner/use_database.hpp"
#include "tuner/worker.hpp"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace fastnorm::tuner {
namespace {

using measure::Case;

int exit_status_of(const Status& why) {
  return why.code() == StatusCode::invalid_argument ? exit_usage : exit_failed;
}

/// A file belongs to one device.
Status check_one_device_a_file(const std::vector<Target>& targets, const Options& options) {
  if (!is_tuning_file(options.db)) return {};
  const DeviceInfo& first = *targets.front().candidate.device;
  for (const Target& target : targets) {
    const DeviceInfo& device = *target.candidate.device;
    if (are_alike(device, first)) continue;
    return {StatusCode::invalid_argument,
            "--db " + options.db + " can hold one device, but the run is for " + first.name +
                " and " + device.name + "; give a folder"};
  }
  return {};
}

Result<std::vector<Place>> make_places(const std::vector<Target>& targets,
                                       const std::filesystem::path& database) {
  std::vector<Place> places;
  for (const auto& [target, gpu] : targets) {
    places.push_back({target,
                      gpu,
                      tuning_file_for(database, *target.device),
                      std::make_unique<Worker>(this_program(gpu)),
                      measure::make_monitor(*target.device),
                      {}});
  }
  // After all the monitors: the workers give the devices something to do.
  for (std::size_t i = 0; i < places.size(); ++i) {
    Place& place = places[i];
    if (i > 0 && places[i - 1].target.backend == place.target.backend) {
      // A machine has one driver.
      place.software = places[i - 1].software;
      continue;
    }
    Result<measure::Software> software =
        place.worker->software(std::string(place.target.backend->name()));
    if (!software.ok()) return software.status();
    place.software = std::move(software).value();
  }
  return places;
}

std::string identity_of(const Options& options, const std::vector<Place>& places,
                        const std::vector<Job>& jobs) {
  std::vector<IdentifiedTarget> targets;
  for (const Place& place : places) {
    targets.push_back({place.target, place.software, place.gpu});
  }
  return run_identity(options.budget, tuning_settings(options), targets, jobs);
}

/// Leaves a run that has not come to its end, or has measured nothing, as it can be gone on with;
/// what to say of that.
std::string leave(Journal& journal) {
  if (!journal.empty()) return "; the same with --resume goes on from there";
  return journal.give_way()
             ? "; the unfinished run before it is back, and the same with --resume goes on with it"
             : "";
}

/// What the user should know before the first case.
void note_start(const Journal& journal, Journal::Start start, Report& report) {
  for (const std::string& note : journal.notes()) report.note(note);
  if (start == Journal::Start::anew) return;
  report.note(journal.records().empty()
                  ? "there is no unfinished run like this one beside the database; it starts anew"
                  : "goes on with " + journal.path().string());
}

/// What the run has measured, for searches that are to be repeated.
Status write_recording(const std::filesystem::path& path, const Journal& journal,
                       const std::vector<Place>& places, const std::vector<Job>& jobs) {
  std::vector<Candidate> targets;
  for (const Place& place : places) targets.push_back(place.target);
  const Result<std::vector<JournalRecord>> records = journal.all_records();
  if (!records.ok()) return records.status();
  const auto searches = recorded_searches(records.value(), targets, jobs);
  if (!searches.ok()) return searches.status();
  return replace_recording(path, to_text(searches.value()));
}

}  // namespace

int run(const Options& options) {
  if (Status status = check_is_database("--db", options.db); !status.ok()) {
    return complain(status, exit_usage);
  }
  if (!options.record.empty()) {
    // Said before hours are spent on what cannot be written.
    const Status status = check_recording_target(options.record);
    if (!status.ok()) return complain(status, exit_status_of(status));
  }
  if (Status status = check_devices(options); !status.ok()) return complain(status, exit_usage);
  const SuspensionWatch suspensions;
  const Result<std::vector<Inventory>> inventories = inventories_of(options.devices);
  if (!inventories.ok()) return complain(inventories.status(), exit_failed);
  const Result<std::vector<Target>> targets = select_targets(options, inventories.value());
  if (!targets.ok()) {
    return complain(targets.status(), exit_status_of(targets.status()));
  }
  if (Status status = check_one_device_a_file(targets.value(), options); !status.ok()) {
    return complain(status, exit_usage);
  }
  Result<std::vector<Case>> loaded = load_case_file(options);
  if (!loaded.ok()) return complain(loaded.status(), exit_failed);
  const Result<std::vector<Case>> cases = select_cases(std::move(loaded).value(), options);
  if (!cases.ok()) return complain(cases.status(), exit_usage);
  const Result<std::filesystem::path> database = database_path(options);
  if (!database.ok()) return complain(database.status(), exit_usage);

  use_database(options.db);
  note_interrupts();
  Report report;
  const std::vector<Job> jobs = make_jobs(cases.value(), report);
  Result<std::vector<Place>> places = make_places(targets.value(), database.value());
  if (!places.ok()) return complain(places.status(), exit_failed);
  const std::string identity = identity_of(options, places.value(), jobs);
  const std::filesystem::path path = journal_path(database.value(), identity);
  // Of several files, those of one folder, it is for whoever the first is for.
  Result<Journal> opened =
      Journal::open(path, places.value().front().file, {utc_date(), identity}, options.start);
  if (!opened.ok()) return complain(opened.status(), exit_failed);
  Journal& journal = opened.value();
  note_start(journal, options.start, report);

  JournaledRun tuning(options, jobs, journal, report);
  const Status ended = tuning.run(places.value());
  if (ended.ok() || report.tuned_cases() > 0) report.finish(tuning.files());
  const bool done = ended.ok() && !interrupted();
  if (done && !options.record.empty()) {
    const Status written = write_recording(options.record, journal, places.value(), jobs);
    if (!written.ok()) return complain(written.message() + leave(journal), exit_failed);
  }
  if (!ended.ok()) return complain(ended.message() + leave(journal), exit_failed);
  if (!done) return complain("interrupted" + leave(journal), exit_failed);
  std::string left;
  if (journal.empty()) {
    left = leave(journal);
  } else {
    journal.remove();
  }
  if (report.tuned_cases() == 0) return complain("nothing was tuned" + left, exit_failed);
  for (const std::string& lost : tuning.lost_devices()) complain(lost, exit_failed);
  if (!tuning.lost_devices().empty()) return exit_failed;
  return report.failed_cases() == 0 ? exit_done : exit_failed;
}

}  // namespace fastnorm::tuner
