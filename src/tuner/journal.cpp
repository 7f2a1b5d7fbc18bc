// SPDX-License-Identifier: Apache-2.0
#include "tuner/journal.hpp"

#include "core/companion_file.hpp"
#include "core/file_io.hpp"
#include "core/file_lock.hpp"
#include "core/name_aside.hpp"
#include "core/quoted.hpp"
#include "core/target_path.hpp"
#include "core/tuning_store.hpp"
#include "tuner/checksum.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <optional>
#include <system_error>
#include <utility>

namespace fastnorm::tuner {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds sync_interval{1};

/// Whether the open file still goes by this name: whoever had the lock before may have removed it.
bool is_file_at(const FileDescriptor& file, const fs::path& path) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(file.get(), &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

/// The file at `path`, made where there is none, and locked.
Result<FileDescriptor> open_locked(const fs::path& path, const fs::path& database) {
  for (;;) {
    Result<FileDescriptor> opened = open_companion(path, database, O_APPEND);
    if (!opened.ok()) return opened.status();
    FileDescriptor file = std::move(opened).value();
    const Result<bool> locked = try_lock(file, path);
    if (!locked.ok()) return locked.status();
    if (!locked.value()) {
      return Status(StatusCode::unavailable,
                    "the same run is under way in another process, which holds " + path.string());
    }
    if (is_file_at(file, path)) return file;
  }
}

bool truncate_to(const FileDescriptor& file, std::int64_t bytes) {
  return ::ftruncate(file.get(), static_cast<off_t>(bytes)) == 0;
}

Result<std::string> text_of(const fs::path& path) {
  constexpr std::size_t most = std::size_t{1} << 30;
  Result<std::optional<std::string>> text = read_file(path, most);
  if (!text.ok()) return text.status();
  return std::move(text).value().value_or("");
}

/// Whether a run may be there that another session could go on with.
bool is_worth_keeping(std::string_view text) {
  if (text.empty()) return false;
  const bool one_line = text.find('\n') == text.size() - 1;
  const auto first = one_line ? parse_line(text.substr(0, text.size() - 1)) : std::nullopt;
  return !first || !std::holds_alternative<RunBegun>(*first);
}

/// The first line in which two texts differ: that of `text`, and that of `other`; empty for the one
/// that has ended.
std::pair<std::string_view, std::string_view> first_difference(std::string_view text,
                                                               std::string_view other) {
  const auto take_line = [](std::string_view& from) {
    const std::string_view line = from.substr(0, from.find('\n'));
    from.remove_prefix(std::min(line.size() + 1, from.size()));
    return line;
  };
  for (;;) {
    const std::string_view line = take_line(text);
    const std::string_view other_line = take_line(other);
    if (line != other_line || (text.empty() && other.empty())) return {line, other_line};
  }
}

/// `there` is what such a journal has in the place of this run's.
std::string other_run(std::string_view there, std::string_view here) {
  return "is the journal of another run (" + in_quotes(there, longest_name) + ", this one's is " +
         in_quotes(here, longest_name) + ")";
}

/// What helps where a session cannot go on with what is there.
constexpr const char* start_anew = "; without --resume the run starts anew, and this is set aside";

}  // namespace

Result<Journal> Journal::open(const fs::path& name, const fs::path& database, const RunBegun& run,
                              Start start) {
  if (const auto target = prepare_target(name); !target.ok()) return target.status();
  std::error_code error;
  const fs::path path = fs::absolute(name, error);  // as it was typed, for messages
  if (error) return Status(StatusCode::unavailable, name.string() + ": " + error.message());
  std::optional<fs::path> aside;
  std::vector<std::string> notes;
  for (;;) {
    Result<FileDescriptor> file = open_locked(path, database);
    if (!file.ok()) return file.status();
    const Result<std::string> text = text_of(path);
    if (!text.ok()) return text.status();
    const bool taken_up = start == Start::resumed && !text.value().empty();
    if (!taken_up && is_worth_keeping(text.value())) {
      fs::path old = free_name_aside(path, "old");
      if (::rename(path.c_str(), old.c_str()) != 0) return system_error("set aside", path);
      notes.push_back(
          "an unfinished run like this one, which --resume would have continued, is set aside as " +
          old.string());
      aside = std::move(old);
      continue;
    }
    Journal journal(path, std::move(file).value());
    journal.notes_ = std::move(notes);
    journal.aside_ = std::move(aside);
    Status opened = taken_up ? journal.take_up(text.value(), run) : journal.begin(run);
    if (opened.ok()) return journal;
    // A run that cannot begin leaves the unfinished one where --resume finds it, and nothing empty.
    std::error_code ignored;
    if (!taken_up || fs::is_empty(path, ignored)) journal.give_way();
    return opened;
  }
}

Result<std::vector<JournalRecord>> Journal::all_records() const {
  const Result<std::string> text = text_of(path_);
  if (!text.ok()) return text.status();
  std::vector<JournalRecord> records;
  std::string_view rest = text.value();
  for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
    std::optional<JournalRecord> record = parse_line(rest.substr(0, end));
    rest.remove_prefix(end + 1);
    if (record && !std::holds_alternative<RunBegun>(*record)) records.push_back(*std::move(record));
  }
  return records;
}

Status Journal::begin(const RunBegun& run) {
  run_ = run;
  if (!truncate_to(file_, 0)) return system_error("empty", path_);
  Status written = write_line(to_line(run));
  return written.ok() ? sync() : written;
}

Status Journal::take_up(std::string_view text, const RunBegun& run) {
  const auto refused = [&](const std::string& why) {
    return Status(StatusCode::invalid_argument, path_.string() + ":1: " + why + start_anew);
  };
  std::size_t lines = 0;
  std::size_t whole = 0;  // bytes
  while (whole < text.size()) {
    const std::size_t end = text.find('\n', whole);
    if (end == std::string_view::npos) break;
    std::optional<JournalRecord> record = parse_line(text.substr(whole, end - whole));
    if (!record) break;
    whole = end + 1;
    if (lines++ > 0) {
      records_.push_back(*std::move(record));
    } else if (const RunBegun* first = std::get_if<RunBegun>(&*record)) {
      run_ = *first;
    } else {
      return refused("is not how a journal begins");
    }
  }
  if (lines == 0 && text.find('\n') != std::string_view::npos) {
    return refused("the beginning is damaged");
  }
  if (lines > 0 && run_.identity != run.identity) {
    const auto [there, here] = first_difference(run_.identity, run.identity);
    return refused(other_run(there, here));
  }
  if (whole < text.size()) {
    if (!truncate_to(file_, static_cast<std::int64_t>(whole))) return system_error("cut", path_);
    notes_.push_back(path_.string() + ":" + std::to_string(lines + 1) +
                     ": cut off or damaged; what is missing from there on is measured again");
  }
  bytes_ = static_cast<std::int64_t>(whole);
  return lines == 0 ? begin(run) : Status();
}

Status Journal::write_line(const std::string& line) {
  if (!write_all(file_, line)) {
    Status failed = system_error("write", path_);
    truncate_to(file_, bytes_);  // if even that fails, the checksum tells
    return failed;
  }
  bytes_ += static_cast<std::int64_t>(line.size());
  return {};
}

Status Journal::append(const JournalRecord& record) {
  const std::string line = to_line(record);
  const std::lock_guard lock(*mutex_);
  Status written = write_line(line);
  if (!written.ok()) return written;
  appended_ = true;
  const bool due = std::chrono::steady_clock::now() - synced_ >= sync_interval;
  return due ? sync_now() : Status();
}

Status Journal::sync() {
  const std::lock_guard lock(*mutex_);
  return sync_now();
}

Status Journal::sync_now() {
  synced_ = std::chrono::steady_clock::now();
  return ::fdatasync(file_.get()) == 0 ? Status() : system_error("sync", path_);
}

void Journal::remove() { ::unlink(path_.c_str()); }

bool Journal::give_way() {
  if (aside_ && ::rename(aside_->c_str(), path_.c_str()) == 0) return true;
  remove();
  return false;
}

fs::path journal_path(const fs::path& base, const std::string& identity) {
  const std::string end = "." + crc32_text(identity) + ".journal";
  if (!is_tuning_file(base)) return base / ("autotune" + end);
  fs::path path = base;
  return path += end;
}

}  // namespace fastnorm::tuner
