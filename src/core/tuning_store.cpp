// SPDX-License-Identifier: Apache-2.0
#include "core/tuning_store.hpp"

#include "core/file_io.hpp"
#include "core/locked_target.hpp"
#include "core/log.hpp"
#include "core/name_aside.hpp"
#include "core/quoted.hpp"
#include "core/tuning_yaml.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

namespace fastnorm {
namespace {

namespace fs = std::filesystem;

/// A bad file costs one warning, however often it is read.
void warn_once(const std::string& message) {
  // Never destroyed: threads may still read files while the process exits.
  static auto& mutex = *new std::mutex;
  static auto& given = *new std::set<std::string>;
  const std::lock_guard<std::mutex> lock(mutex);
  if (given.insert(message).second) log(LogLevel::warning, message);
}

void report_problems(const ParsedTuningFile& parsed) {
  if (parsed.problems.empty()) return;
  const std::size_t others = parsed.problems.size() - 1;
  std::string message = parsed.problems.front();
  if (others > 0)
    message += " (and " + std::to_string(others) + " more; FASTNORM_LOG=info lists them)";
  warn_once(message);
  if (!log_enabled(LogLevel::info)) return;
  for (const std::string& problem : parsed.problems) log(LogLevel::info, problem);
}

std::optional<TuningFile> parse_or_warn(std::string_view text, const std::string& source) {
  Result<ParsedTuningFile> parsed = parse_tuning_yaml(text, source);
  if (!parsed.ok()) {
    warn_once(parsed.status().message());
    return std::nullopt;
  }
  report_problems(parsed.value());
  return std::move(parsed).value().file;
}

void read_one(const fs::path& path, std::vector<TuningFile>& files) {
  const Result<std::optional<std::string>> text = read_file(path, most_tuning_file_bytes);
  if (!text.ok()) {
    warn_once(text.status().message());
  } else if (!text.value()) {
    log(LogLevel::info, "no tuning database at " + path.string());
  } else if (auto file = parse_or_warn(*text.value(), path.string())) {
    files.push_back(*std::move(file));
  }
}

std::shared_ptr<const TuningDb> load_tuning_db() {
  std::vector<TuningFile> files = read_tuning_path(user_tuning_path());
  for (const ShippedTuningFile& shipped : shipped_tuning_files()) {
    auto file = parse_or_warn(shipped.text, std::string("shipped ") + shipped.name);
    if (!file) continue;
    file->owner = TuningFile::Owner::library;
    files.push_back(*std::move(file));
  }
  return std::make_shared<const TuningDb>(std::move(files));
}

struct DbCache {
  std::mutex mutex;
  std::shared_ptr<const TuningDb> db;
};

DbCache& db_cache() {
  static auto& cache = *new DbCache;  // never destroyed, as above
  return cache;
}

/// Null and empty are both unset.
std::optional<fs::path> path_from_environment(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return fs::path(value);
}

/// Lower case, and a single dash for whatever no file name need contain.
std::string slug(std::string_view name) {
  std::string result;
  for (const char c : name) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool keep = upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (keep) {
      result += upper ? static_cast<char>(c - 'A' + 'a') : c;
    } else if (!result.empty() && result.back() != '-') {
      result += '-';
    }
  }
  if (!result.empty() && result.back() == '-') result.pop_back();
  constexpr std::size_t longest = 128;
  return result.empty() ? "device" : result.substr(0, longest);
}

/// Keeps a file that is about to lose something, under a name that nobody reads as a database.
Status keep_aside(const fs::path& path, std::string_view text, const std::string& reason) {
  const fs::path aside = free_name_aside(path, "bad");
  Status written = replace_file(aside, text);
  if (written.ok()) log(LogLevel::warning, reason + "; kept as " + aside.string());
  return written;
}

/// What the file at `path` holds for the update's device.
Result<std::vector<TuningEntry>> existing_entries(const fs::path& path, const TuningFile& update) {
  const Result<std::optional<std::string>> text = read_file(path, most_tuning_file_bytes);
  if (!text.ok()) return text.status();
  if (!text.value()) return std::vector<TuningEntry>();

  Result<ParsedTuningFile> parsed = parse_tuning_yaml(*text.value(), path.string());
  if (parsed.status().code() == StatusCode::out_of_memory) return parsed.status();
  if (!parsed.ok()) {
    Status kept = keep_aside(path, *text.value(), parsed.status().message());
    if (!kept.ok()) return kept;
    return std::vector<TuningEntry>();
  }
  TuningFile& file = parsed.value().file;
  if (match(file.device, update.device) != DeviceMatch::exact) {
    return Status(StatusCode::invalid_argument,
                  path.string() + " holds results of another device, " +
                      shortened(file.device_name) + "; results of " +
                      shortened(update.device_name) + " need a file of their own");
  }
  if (!parsed.value().problems.empty()) {
    Status kept = keep_aside(path, *text.value(), parsed.value().problems.front());
    if (!kept.ok()) return kept;
  }
  return std::move(file.entries);
}

/// Whether both are choices for the same calls, apart from the wish for results that repeat.
bool serve_the_same(const TuningEntry& a, const TuningEntry& b) {
  TuningKey key = a.key;
  key.deterministic = b.key.deterministic;
  return key == b.key && a.shape == b.shape;
}

bool is_served_by(const std::vector<TuningEntry>& entries, const TuningEntry& one) {
  return std::any_of(entries.begin(), entries.end(),
                     [&one](const TuningEntry& other) { return serve_the_same(one, other); });
}

std::vector<TuningEntry> merged(std::vector<TuningEntry> entries,
                                const std::vector<TuningEntry>& update) {
  const auto replaced = [&update](const TuningEntry& one) { return is_served_by(update, one); };
  entries.erase(std::remove_if(entries.begin(), entries.end(), replaced), entries.end());
  entries.insert(entries.end(), update.begin(), update.end());
  std::sort(entries.begin(), entries.end(), sorts_before);
  return entries;
}

/// Whether the library would read back all of the update: no file must end up with less than was
/// given.
Status check_update(const TuningFile& update, const fs::path& path) {
  const Result<ParsedTuningFile> parsed =
      parse_tuning_yaml(to_yaml(update), "update of " + path.string());
  if (!parsed.ok()) return parsed.status();
  if (parsed.value().problems.empty()) return {};
  return Status(StatusCode::invalid_argument, parsed.value().problems.front());
}

Status edit_file(const fs::path& path, const TuningFile& header, const TuningEdit& edit) {
  Status checked = check_update(header, path);
  if (!checked.ok()) return checked;
  const Result<LockedTarget> target = lock_target(path);
  if (!target.ok()) return target.status();
  Result<std::vector<TuningEntry>> existing = existing_entries(target.value().path, header);
  if (!existing.ok()) return existing.status();
  TuningFile file = header;
  file.entries = edit(std::move(existing).value());
  const std::string text = to_yaml(file);
  if (text.size() > most_tuning_file_bytes) {
    return Status(StatusCode::invalid_argument, path.string() + " would grow beyond " +
                                                    std::to_string(most_tuning_file_bytes >> 20U) +
                                                    " MiB, which is more than the library reads");
  }
  return replace_file(target.value().path, text);
}

}  // namespace

std::shared_ptr<const TuningDb> current_tuning_db() {
  DbCache& cache = db_cache();
  const std::lock_guard<std::mutex> lock(cache.mutex);
  if (!cache.db) cache.db = load_tuning_db();
  return cache.db;
}

void forget_tuning_db() {
  DbCache& cache = db_cache();
  const std::lock_guard<std::mutex> lock(cache.mutex);
  cache.db = nullptr;
}

fs::path user_tuning_path() {
  if (auto path = path_from_environment("FASTNORM_TUNING_DB")) {
    return *path == no_user_database ? fs::path() : *std::move(path);
  }
  const fs::path within_data = fs::path("fastnorm") / "tuning_db";
  // The XDG specification says to ignore a path that is not absolute.
  const auto data = path_from_environment("XDG_DATA_HOME");
  if (data && data->is_absolute()) return *data / within_data;
  if (const auto home = path_from_environment("HOME"))
    return *home / ".local" / "share" / within_data;
  return {};
}

bool is_tuning_file(const fs::path& path) {
  const fs::path extension = path.extension();
  return extension == ".yaml" || extension == ".yml";
}

std::vector<fs::path> tuning_files_in(const fs::path& folder, std::error_code& error) {
  std::vector<fs::path> paths;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (is_tuning_file(entry->path())) paths.push_back(entry->path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::optional<DeviceKey> device_of(const fs::path& path) {
  const Result<std::optional<std::string>> text = read_file(path, most_tuning_file_bytes);
  if (!text.ok() || !text.value()) return std::nullopt;
  const Result<ParsedTuningFile> parsed = parse_tuning_yaml(*text.value(), path.string());
  if (!parsed.ok()) return std::nullopt;
  return parsed.value().file.device;
}

std::vector<TuningFile> read_tuning_path(const fs::path& path) {
  std::vector<TuningFile> files;
  if (path.empty()) return files;
  if (is_tuning_file(path)) {
    read_one(path, files);
  } else {
    std::error_code error;
    for (const fs::path& file : tuning_files_in(path, error)) read_one(file, files);
    if (error == std::errc::no_such_file_or_directory) {
      log(LogLevel::info, "no tuning database at " + path.string());
    } else if (error) {
      warn_once("cannot list " + path.string() + ": " + error.message());
    }
  }
  return files;
}

std::vector<fs::path> tuning_files_of(const fs::path& folder, const DeviceKey& device) {
  std::vector<fs::path> files;
  std::error_code ignored;  // The folder may not be there yet.
  for (const fs::path& path : tuning_files_in(folder, ignored)) {
    const auto held = device_of(path);
    if (held && match(*held, device) == DeviceMatch::exact) files.push_back(path);
  }
  return files;
}

fs::path tuning_file_for(const fs::path& path, const DeviceInfo& device) {
  if (path.empty() || is_tuning_file(path)) return path;
  const std::vector<fs::path> there = tuning_files_of(path, DeviceKey::of(device));
  if (!there.empty()) return there.front();
  std::string name = slug(device.name);
  if (device.memory == MemorySpace::host) {
    name += "-" + slug(device.host_space) + "-" + std::to_string(device.processors) + "t";
  }
  return path / (name + ".yaml");
}

Status edit_tuning_file(const fs::path& path, const TuningFile& header, const TuningEdit& edit) {
  if (path.empty()) {
    return Status(
        StatusCode::invalid_argument,
        "no path for the tuning database: neither FASTNORM_TUNING_DB, XDG_DATA_HOME nor HOME "
        "names one");
  }
  try {
    return edit_file(path, header, edit);
  } catch (const std::exception& error) {
    return Status(StatusCode::out_of_memory, "cannot write " + path.string() + ": " + error.what());
  }
}

Status merge_into_file(const fs::path& path, const TuningFile& update) {
  return edit_tuning_file(path, update, [&update](std::vector<TuningEntry> entries) {
    return merged(std::move(entries), update.entries);
  });
}

Status restore_into_file(const fs::path& path, const TuningFile& lost) {
  return edit_tuning_file(path, lost, [&lost](std::vector<TuningEntry> entries) {
    std::vector<TuningEntry> missing;
    std::copy_if(lost.entries.begin(), lost.entries.end(), std::back_inserter(missing),
                 [&entries](const TuningEntry& one) { return !is_served_by(entries, one); });
    return merged(std::move(entries), missing);
  });
}

Status check_editable(const fs::path& path) {
  const Result<LockedTarget> target = lock_target(path);
  if (!target.ok()) return target.status();
  const Result<std::optional<std::string>> text =
      read_file(target.value().path, most_tuning_file_bytes);
  if (!text.ok()) return text.status();
  return check_replaceable(target.value().path, text.value().value_or(""));
}

}  // namespace fastnorm
