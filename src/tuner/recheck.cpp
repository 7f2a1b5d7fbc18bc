// SPDX-License-Identifier: Apache-2.0
/// autotune recheck
#include "core/quoted.hpp"
#include "core/shell_word.hpp"
#include "core/tuning_store.hpp"
#include "measure/monitor.hpp"
#include "tuner/commands.hpp"
#include "tuner/complain.hpp"
#include "tuner/database_path.hpp"
#include "tuner/device_site.hpp"
#include "tuner/entry_job.hpp"
#include "tuner/exit_status.hpp"
#include "tuner/interrupt.hpp"
#include "tuner/inventory.hpp"
#include "tuner/monitored_site.hpp"
#include "tuner/recheck_entry.hpp"
#include "tuner/record.hpp"
#include "tuner/run_clock.hpp"
#include "tuner/suspension.hpp"
#include "tuner/targets.hpp"
#include "tuner/use_database.hpp"
#include "tuner/worker.hpp"

#include <fastnorm/version.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fastnorm::tuner {
namespace {

namespace fs = std::filesystem;

bool same_choice(const TuningEntry& a, const TuningEntry& b) {
  return a.key == b.key && a.shape == b.shape && a.strategy == b.strategy && a.config == b.config;
}

struct Counts {
  std::size_t kept = 0;
  std::size_t dropped = 0;
  std::size_t unchecked = 0;
};

/// The entries of one file that its target has measured.
class FileRecheck {
 public:
  /// `now` is the provenance of what is measured.
  FileRecheck(const Candidate& target, const TuningFile& file, Provenance now, TuningSite& site,
              const Options& options, Counts& counts)
      : target_(target),
        file_(file),
        now_(std::move(now)),
        site_(site),
        entries_(file.entries, target, site),
        options_(options),
        counts_(counts) {}

  /// Errors: the database cannot be written, the device is lost.
  Status run() {
    std::size_t left = 0;
    for (const TuningEntry& entry : file_.entries) {
      if (entry.key.backend != target_.backend->name()) continue;
      if (interrupted() || out_of_budget()) {
        ++left;
        continue;
      }
      if (Status status = check(entry); !status.ok()) return status;
      clock_.lap();
      ++checked_;
    }
    counts_.unchecked += left;
    if (left > 0 && !interrupted()) {
      std::printf("%-11s %zu more: the budget, %s, is spent; --budget gives more\n", not_checked,
                  left, to_string(options_.budget).c_str());
    }
    return {};
  }

 private:
  static constexpr const char* not_checked = "not checked";

  bool out_of_budget() const {
    const Budget& budget = options_.budget;
    if (budget.unit == Budget::Unit::unlimited) return false;
    constexpr double candidates_an_entry = 2;
    const double spent = budget.unit == Budget::Unit::seconds
                             ? clock_.spent_seconds()
                             : candidates_an_entry * static_cast<double>(checked_);
    return spent >= budget.amount;
  }

  Status check(const TuningEntry& entry) {
    const Result<Rechecked> result = entries_.check(entry, interrupted);
    if (!result.ok()) {
      ++counts_.unchecked;
      if (!interrupted()) print(not_checked, entry, result.status().message());
      return site_.health();
    }
    const Rechecked& rechecked = result.value();
    if (keeps_place(rechecked.verdict)) {
      if (Status status = renew(entry, rechecked.stats); !status.ok()) return status;
      ++counts_.kept;
      print("kept", entry,
            (rechecked.verdict == Verdict::wins ? times(rechecked) : "it is the default") +
                (rechecked.stats ? "" : "; disturbed, so that its figures stay as they were"));
      return {};
    }
    if (Status status = drop(entry); !status.ok()) return status;
    ++counts_.dropped;
    print("dropped", entry, rechecked.reason);
    return {};
  }

  /// The entry gets the figures of today. Where those were disturbed, the old ones are worth more.
  Status renew(const TuningEntry& entry, const std::optional<TuningStats>& stats) const {
    if (!stats) return {};
    return edit([&](std::vector<TuningEntry> entries) {
      for (TuningEntry& other : entries) {
        if (!same_choice(other, entry)) continue;
        other.stats = *stats;
        other.provenance = now_;
      }
      return entries;
    });
  }

  /// Unless somebody has put another in its place.
  Status drop(const TuningEntry& entry) const {
    return edit([&](std::vector<TuningEntry> entries) {
      const auto rest =
          std::remove_if(entries.begin(), entries.end(),
                         [&](const TuningEntry& other) { return same_choice(other, entry); });
      entries.erase(rest, entries.end());
      return entries;
    });
  }

  Status edit(const TuningEdit& change) const {
    TuningFile header = file_;
    header.entries.clear();
    return edit_tuning_file(file_.source, header, change);
  }

  static std::string times(const Rechecked& rechecked) {
    const double now = rechecked.choice->winner.time.median_us;
    const double standard = rechecked.choice->default_choice.time.median_us;
    char text[96];
    std::snprintf(text, sizeof text, "%.1f us, the default %.1f us: %.2fx", now, standard,
                  standard / now);
    return text;
  }

  static void print(const char* verdict, const TuningEntry& entry, const std::string& why) {
    std::printf("%-11s %s: %s %s: %s\n", verdict, title(entry).c_str(),
                shortened(entry.strategy).c_str(),
                shortened(to_string(entry.config), longest_name).c_str(), escaped(why).c_str());
    std::fflush(stdout);
  }

  const Candidate& target_;
  const TuningFile& file_;
  Provenance now_;
  TuningSite& site_;
  EntriesRecheck entries_;
  const Options& options_;
  Counts& counts_;
  RunClock clock_;
  std::size_t checked_ = 0;
};

/// The files of the database with entries that the target has measured.
std::vector<TuningFile> files_of(const Candidate& target, const fs::path& database) {
  const DeviceKey device = DeviceKey::of(*target.device);
  std::vector<TuningFile> files = read_tuning_path(database);
  const auto is_foreign = [&](const TuningFile& file) {
    return match(file.device, device) != DeviceMatch::exact ||
           std::none_of(file.entries.begin(), file.entries.end(), [&](const TuningEntry& entry) {
             return entry.key.backend == target.backend->name();
           });
  };
  files.erase(std::remove_if(files.begin(), files.end(), is_foreign), files.end());
  // EntriesRecheck wants the order of a written file, and this one may have been edited by hand.
  for (TuningFile& file : files) {
    std::sort(file.entries.begin(), file.entries.end(), sorts_before);
  }
  return files;
}

/// What a target has measured.
struct Part {
  Candidate target;
  std::vector<TuningFile> files;
};

/// That an entry could not be dropped is found out before anything is measured.
Status check_drops(const std::vector<Part>& parts) {
  for (const Part& part : parts) {
    for (const TuningFile& file : part.files) {
      if (Status status = check_editable(file.source); !status.ok()) {
        return {status.code(),
                status.message() + "; nothing was measured, and a copy can be checked: --db COPY"};
      }
    }
  }
  return {};
}

Status recheck_part(const Part& part, const Options& options, Counts& counts) {
  if (part.files.empty()) return {};
  const Candidate& target = part.target;
  const auto monitor = measure::make_monitor(*target.device);
  for (const std::string& note : monitor->opening_notes())
    std::printf("%s\n", escaped(note).c_str());
  Worker worker(this_program());
  const Result<measure::Software> software = worker.software(std::string(target.backend->name()));
  if (!software.ok()) return software.status();
  for (const TuningFile& file : part.files) {
    std::printf("%s:\n", escaped(file.source).c_str());
    const Provenance now{version(), software.value().cuda, software.value().driver, utc_date()};
    DeviceSite measuring(target, worker, software.value(), file.source, now.utc, options.seed);
    MonitoredSite site(measuring, *monitor);
    Status status = FileRecheck(target, file, now, site, options, counts).run();
    for (const std::string& note : site.closing_notes()) std::printf("%s\n", escaped(note).c_str());
    if (!status.ok()) return status;
  }
  return {};
}

/// "cuda, kokkos-host"
std::string names_of(const std::vector<Candidate>& targets) {
  std::string names;
  for (const Candidate& target : targets) {
    names += (names.empty() ? "" : ", ") + std::string(target.backend->name());
  }
  return names;
}

}  // namespace

int recheck(const Options& options) {
  if (Status status = check_is_database("--db", options.db); !status.ok()) {
    return complain(status, exit_usage);
  }
  const SuspensionWatch suspensions;
  const Result<Inventory> inventory = inventory_of(Worker(this_program()));
  if (!inventory.ok()) return complain(inventory.status(), exit_failed);
  const Result<std::vector<Candidate>> targets = select_targets(options, inventory.value());
  if (!targets.ok()) return complain(targets.status(), exit_failed);
  const Result<fs::path> database = database_path(options);
  if (!database.ok()) return complain(database.status(), exit_usage);
  if (Status status = use_existing_database(options.db); !status.ok()) {
    return complain(status, exit_failed);
  }
  std::vector<Part> parts;
  for (const Candidate& target : targets.value()) {
    parts.push_back({target, files_of(target, database.value())});
  }
  if (Status status = check_drops(parts); !status.ok()) return complain(status, exit_failed);
  note_interrupts();
  Counts counts;
  for (const Part& part : parts) {
    Status status = recheck_part(part, options, counts);
    if (!status.ok()) return complain(status, exit_failed);
  }
  std::printf("%zu kept, %zu dropped, %zu not checked\n", counts.kept, counts.dropped,
              counts.unchecked);
  if (interrupted()) return complain("interrupted; what was dropped stays so", exit_failed);
  if (counts.kept + counts.dropped + counts.unchecked == 0) {
    const std::string path = database.value().string();
    return complain("no entry of " + path + " was measured on this device with " +
                        names_of(targets.value()) + "; \"autotune show --db " + shell_word(path) +
                        "\" lists what is there",
                    exit_failed);
  }
  return counts.unchecked == 0
             ? exit_done
             : complain(
                   "not all entries were checked, for the reasons above; those stay as they are",
                   exit_failed);
}

}  // namespace fastnorm::tuner
