// SPDX-License-Identifier: Apache-2.0
/// autotune merge A B... -o OUT
#include "core/counted.hpp"
#include "core/quoted.hpp"
#include "core/tuning_store.hpp"
#include "core/tuning_yaml.hpp"
#include "tuner/commands.hpp"
#include "tuner/complain.hpp"
#include "tuner/database_file.hpp"
#include "tuner/database_path.hpp"
#include "tuner/evidence.hpp"
#include "tuner/exit_status.hpp"
#include "tuner/strategy_problem.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

namespace fastnorm::tuner {
namespace {

namespace fs = std::filesystem;

/// The files that are meant by a database's path.
Result<std::vector<fs::path>> files_of(const fs::path& path) {
  if (is_tuning_file(path)) return std::vector<fs::path>{path};
  std::error_code error;
  std::vector<fs::path> files = tuning_files_in(path, error);
  if (!error) return files;
  return Status(StatusCode::unavailable, "cannot list " + path.string() + ": " + error.message());
}

/// Of so many problems the first has been said.
std::string and_more(std::size_t problems) {
  if (problems < 2) return {};
  return " (and " + std::to_string(problems - 1) + " more; \"autotune validate\" lists them)";
}

/// All of a file or nothing: what is left out here would be missing from the result.
Result<ParsedTuningFile> read_whole(const fs::path& path) {
  const Result<std::string> text = read_database_file(path);
  if (!text.ok()) return text.status();
  Result<ParsedTuningFile> parsed = parse_tuning_yaml(text.value(), path.string());
  if (!parsed.ok()) return parsed.status();
  const std::vector<std::string>& problems = parsed.value().problems;
  if (problems.empty()) return parsed;
  return Status(StatusCode::invalid_argument,
                problems.front() + and_more(problems.size()) + "; nothing is merged");
}

/// Well formed entries that this library cannot use are kept, since another may: as it passes over
/// them where it meets them, so does this, and says it once a file. Empty for none.
std::string unusable_entries(const ParsedTuningFile& parsed) {
  std::string first;
  std::size_t count = 0;
  for (std::size_t i = 0; i < parsed.file.entries.size(); ++i) {
    const std::string problem = problem_on_device(parsed.file.entries[i], parsed.file.device);
    if (problem.empty()) continue;
    if (count++ == 0) first = parsed.place_text(i) + problem;
  }
  if (count == 0) return {};
  return first + and_more(count) + "; such entries are kept where no other is for the same calls";
}

/// What several files say about one device.
struct Group {
  TuningFile header;  ///< The device, as the first of them has it; no entries.
  std::vector<std::vector<TuningEntry>> databases;
  std::size_t files = 0;
};

void add(std::vector<Group>& groups, TuningFile file) {
  std::vector<TuningEntry> entries = std::move(file.entries);
  file.entries.clear();
  auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& one) {
    return match(one.header.device, file.device) == DeviceMatch::exact;
  });
  if (group == groups.end()) {
    group = groups.insert(group, Group{std::move(file), {}, 0});
  }
  group->databases.push_back(std::move(entries));
  ++group->files;
}

/// That devices are alike does not go on from one to the next, so that groups depend on who comes
/// first: by what identifies a device, then by name, never as the files were given.
bool comes_before(const TuningFile& a, const TuningFile& b) {
  const auto key = [](const TuningFile& file) {
    const DeviceKey& device = file.device;
    return std::tuple(device.compute_capability_major, device.compute_capability_minor,
                      device.processors, device.l2_mib, device.memory_gb_s,
                      std::string_view(device.host_cpu), std::string_view(device.host_space),
                      std::string_view(file.device_name), fs::path(file.source).filename());
  };
  return key(a) < key(b);
}

std::vector<Group> groups_of(std::vector<TuningFile> files) {
  std::stable_sort(files.begin(), files.end(), comes_before);
  std::vector<Group> groups;
  for (TuningFile& file : files) add(groups, std::move(file));
  return groups;
}

Status add_database(std::vector<TuningFile>& all, std::vector<std::string>& warnings,
                    const fs::path& path) {
  const Result<std::vector<fs::path>> files = files_of(path);
  if (!files.ok()) return files.status();
  for (const fs::path& file : files.value()) {
    Result<ParsedTuningFile> read = read_whole(file);
    if (!read.ok()) return read.status();
    std::string warning = unusable_entries(read.value());
    if (!warning.empty()) warnings.push_back(std::move(warning));
    all.push_back(std::move(read).value().file);
  }
  return {};
}

/// A folder's file for a device that has none there yet: under the name that one of the merged ones
/// has, or with a number where that is another device's.
fs::path new_file_in(const fs::path& folder, const Group& group) {
  const fs::path name = fs::path(group.header.source).filename();
  fs::path path = folder / name;
  for (int number = 2; device_of(path); ++number) {
    path = folder / (name.stem().string() + "-" + std::to_string(number) + ".yaml");
  }
  return path;
}

/// What is there and cannot be read whole would not take part, but be put aside.
Status check_readable(const fs::path& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return {};
  const Result<ParsedTuningFile> read = read_whole(path);
  return read.ok() ? Status() : read.status();
}

/// Where a group goes. A folder gives a device's calls to the first of its files: what the others
/// say is evidence like any other, and must not be hidden behind worse.
Result<fs::path> take_place(Group& group, const fs::path& output) {
  if (is_tuning_file(output)) {
    Status readable = check_readable(output);
    return readable.ok() ? Result<fs::path>(output) : Result<fs::path>(std::move(readable));
  }
  const std::vector<fs::path> there = tuning_files_of(output, group.header.device);
  const fs::path path = there.empty() ? new_file_in(output, group) : there.front();
  if (Status status = check_readable(path); !status.ok()) return status;
  if (there.empty()) return path;
  for (auto other = there.begin() + 1; other != there.end(); ++other) {
    Result<ParsedTuningFile> read = read_whole(*other);
    if (!read.ok()) return read.status();
    group.databases.push_back(std::move(read).value().file.entries);
  }
  return path;
}

Status write(const Group& group, const fs::path& path) {
  std::size_t rivals = 0;
  std::size_t kept = 0;
  Status written = edit_tuning_file(path, group.header, [&](std::vector<TuningEntry> entries) {
    // What is there already is evidence like any other.
    std::vector<std::vector<TuningEntry>> databases = group.databases;
    databases.push_back(std::move(entries));
    for (const std::vector<TuningEntry>& one : databases) rivals += one.size();
    std::vector<TuningEntry> joined = join_by_evidence(databases, group.header.device);
    kept = joined.size();
    return joined;
  });
  if (!written.ok()) return written;
  std::printf("%s: %s for %s, from %s; %zu gave way to better evidence\n",
              escaped(path.string()).c_str(), counted(kept, "entry", "entries").c_str(),
              shortened(group.header.device_name).c_str(),
              counted(group.files, "file", "files").c_str(), rivals - kept);
  return {};
}

Status check_paths(const Options& options) {
  for (const std::string& path : options.merged) {
    if (Status status = check_is_database("DB", path); !status.ok()) return status;
  }
  return check_is_database("-o", options.output);
}

}  // namespace

int merge(const Options& options) {
  if (Status status = check_paths(options); !status.ok()) return complain(status, exit_usage);
  std::vector<TuningFile> files;
  std::vector<std::string> warnings;
  for (const std::string& path : options.merged) {
    if (Status status = add_database(files, warnings, path); !status.ok()) {
      return complain(status, exit_failed);
    }
  }
  std::vector<Group> groups = groups_of(std::move(files));
  if (groups.empty()) return complain("there is no .yaml or .yml file to merge", exit_failed);
  if (is_tuning_file(options.output) && groups.size() > 1) {
    return complain("-o " + options.output + " can hold one device, but there are results of " +
                        shortened(groups[0].header.device_name) + " and " +
                        shortened(groups[1].header.device_name) + "; give a folder",
                    exit_usage);
  }
  for (Group& group : groups) {
    const Result<fs::path> path = take_place(group, options.output);
    if (!path.ok()) return complain(path.status(), exit_failed);
    if (Status status = write(group, path.value()); !status.ok()) {
      return complain(status, exit_failed);
    }
  }
  for (const std::string& warning : warnings) complain("warning: " + warning, exit_done);
  return exit_done;
}

}  // namespace fastnorm::tuner
