// SPDX-License-Identifier: Apache-2.0
/// autotune show
#include "core/counted.hpp"
#include "core/quoted.hpp"
#include "core/tuning_store.hpp"
#include "core/tuning_text.hpp"
#include "tuner/commands.hpp"
#include "tuner/complain.hpp"
#include "tuner/entry_json.hpp"
#include "tuner/exit_status.hpp"
#include "tuner/json_writer.hpp"
#include "tuner/software_here.hpp"
#include "tuner/targets.hpp"
#include "tuner/text_table.hpp"
#include "tuner/use_database.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace fastnorm::tuner {
namespace {

/// What the file is to the devices of this machine, at best.
DeviceMatch use_here(const TuningFile& file, const std::vector<Candidate>& targets) {
  DeviceMatch best = DeviceMatch::none;
  for (const Candidate& target : targets) {
    best = std::max(best, match(file.device, DeviceKey::of(*target.device)));
  }
  return best;
}

const char* use_text(DeviceMatch match) {
  switch (match) {
    case DeviceMatch::none:
      return "for no device of this machine";
    case DeviceMatch::same_arch:
      return "for another device of an architecture that is here";
    case DeviceMatch::exact:
      return "for a device of this machine";
  }
  return "";
}

const char* use_word(DeviceMatch match) {
  switch (match) {
    case DeviceMatch::none:
      return "none";
    case DeviceMatch::same_arch:
      return "same_arch";
    case DeviceMatch::exact:
      return "exact";
  }
  return "";
}

/// "1.45", or "-" where one of the two was not measured.
std::string ratio_text(double of, double to) {
  if (of <= 0 || to <= 0) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", of / to);
  return text;
}

std::string time_text(double us) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", us);
  return text;
}

std::vector<std::string> row_of(const TuningEntry& entry) {
  const TuningStats& stats = entry.stats;
  const TuningShape& shape = entry.shape;
  return {entry.key.backend,
          operation_text(entry.key),
          std::to_string(shape.n),
          std::to_string(shape.c),
          std::to_string(shape.groups),
          std::to_string(shape.inner),
          time_text(stats.median_us),
          ratio_text(stats.default_us, stats.median_us),
          ratio_text(stats.copy_us, stats.median_us),
          entry.key.deterministic ? "yes" : "no",
          entry.provenance.utc.empty() ? "-" : entry.provenance.utc,
          entry.strategy,
          to_string(entry.config)};
}

const std::vector<Column>& columns() {
  static const std::vector<Column> all = {{"back end"},
                                          {"op"},
                                          {"n", Align::right},
                                          {"c", Align::right},
                                          {"groups", Align::right},
                                          {"inner", Align::right},
                                          {"us", Align::right},
                                          {"speed-up", Align::right},
                                          {"of copy", Align::right},
                                          {"repeats"},
                                          {"measured"},
                                          {"strategy"},
                                          {"configuration"}};
  return all;
}

std::string heading(const TuningFile& file, DeviceMatch here) {
  std::string text = escaped(file.source) + ": " + shortened(file.device_name) + ", ";
  text += file.kernel_version == kernel_version
              ? counted(file.entries.size(), "entry", "entries")
              : "ignored, since it is for kernel version " + std::to_string(file.kernel_version) +
                    " and this is " + std::to_string(kernel_version);
  return text + ", " + use_text(here);
}

/// With what the entries were measured: a line for each software, the most entries first.
std::vector<std::string> software_lines(const TuningFile& file) {
  std::map<std::string, std::size_t> counts;
  for (const TuningEntry& entry : file.entries) ++counts[software_text(entry.provenance)];
  std::vector<std::string> lines;
  for (const auto& [software, count] : most_first(counts)) {
    const std::string entries = counted(count, "entry", "entries");
    lines.push_back(software.empty() ? entries + " without a word on what measured them"
                                     : entries + " measured with " + software);
  }
  return lines;
}

/// Where that is not what is here, for each back end.
std::vector<std::string> recheck_lines(const TuningFile& file,
                                       const std::vector<Candidate>& targets,
                                       const std::string& db) {
  std::vector<std::string> lines;
  for (const Candidate& target : targets) {
    std::string note = recheck_note(file, *target.backend, db);
    if (!note.empty()) lines.push_back(std::move(note));
  }
  return lines;
}

void print_text(const std::filesystem::path& user, const TuningDb& db,
                const std::vector<Candidate>& targets, const Options& options) {
  std::printf("user database: %s\n", user.empty() ? "none" : escaped(user.string()).c_str());
  for (const TuningFile& file : db.files()) {
    std::printf("\n%s\n", heading(file, use_here(file, targets)).c_str());
    if (file.entries.empty()) continue;
    for (const std::string& line : software_lines(file)) std::printf("%s\n", line.c_str());
    for (const std::string& line : recheck_lines(file, targets, options.db)) {
      std::printf("%s\n", escaped(line).c_str());
    }
    std::vector<std::vector<std::string>> rows;
    for (const TuningEntry& entry : file.entries) rows.push_back(row_of(entry));
    std::fputs(text_table(columns(), rows).c_str(), stdout);
  }
  if (db.files().empty()) {
    std::printf("no database has been written yet; \"autotune\" writes the user's\n");
  }
}

void write_file(JsonWriter& json, const TuningFile& file, const std::vector<Candidate>& targets,
                const Options& options) {
  json.begin_object();
  json.key("source").text(file.source);
  write_device(json.key("device"), file);
  json.key("used_here").text(use_word(use_here(file, targets)));
  json.key("kernel_version").integer(file.kernel_version);
  json.key("measured_otherwise").begin_array();
  for (const std::string& line : recheck_lines(file, targets, options.db)) json.text(line);
  json.end();
  json.key("entries").begin_array();
  for (const TuningEntry& entry : file.entries) write_entry(json, entry);
  json.end();
  json.end();
}

void print_json(const std::filesystem::path& user, const TuningDb& db,
                const std::vector<Candidate>& targets, const Options& options) {
  JsonWriter json;
  json.begin_object();
  json.key("user_database");
  user.empty() ? json.null() : json.text(user.string());
  json.key("kernel_version").integer(kernel_version);
  json.key("files").begin_array();
  for (const TuningFile& file : db.files()) write_file(json, file, targets, options);
  json.end();
  json.end();
  std::fputs(std::move(json).take().c_str(), stdout);
}

}  // namespace

int show(const Options& options) {
  if (Status status = use_existing_database(options.db); !status.ok()) {
    return complain(status, exit_failed);
  }
  const std::filesystem::path user = user_tuning_path();
  const auto db = current_tuning_db();
  const std::vector<Candidate> targets = usable_targets();
  options.format == OutputFormat::json ? print_json(user, *db, targets, options)
                                       : print_text(user, *db, targets, options);
  return exit_done;
}

}  // namespace fastnorm::tuner
