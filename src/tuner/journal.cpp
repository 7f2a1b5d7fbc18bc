// SPDX-License-Identifier: Apache-2.0
#include "tuner/journal.hpp"

#include "core/file_io.hpp"
#include "core/file_lock.hpp"
#include "core/target_path.hpp"
#include "core/tuning_store.hpp"
#include "tuner/checksum.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

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
Result<FileDescriptor> open_locked(const fs::path& path) {
  for (;;) {
    FileDescriptor file = open_file(path, O_RDWR | O_CREAT | O_APPEND);
    if (!file.is_open()) return system_error("create", path);
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

}  // namespace

Result<Journal> Journal::open(const fs::path& name, const RunBegun& run, Start start) {
  if (const auto target = prepare_target(name); !target.ok()) return target.status();
  std::error_code error;
  const fs::path path = fs::absolute(name, error);  // as it was typed, for messages
  if (error) return Status(StatusCode::unavailable, name.string() + ": " + error.message());
  std::optional<fs::path> aside;  // Where an unfinished run has been put.
  std::vector<std::string> notes;
  for (;;) {
    Result<FileDescriptor> file = open_locked(path);
    if (!file.ok()) return file.status();
    const Result<std::string> text = text_of(path);
    if (!text.ok()) return text.status();
    if (start == Start::anew && !text.value().empty()) {
      fs::path old = path;
      old += ".old";
      if (::rename(path.c_str(), old.c_str()) != 0) return system_error("set aside", path);
      notes.push_back(
          "an unfinished run like this one, which --resume would have continued, is set aside as " +
          old.string());
      aside = std::move(old);
      continue;
    }
    Journal journal(path, std::move(file).value());
    journal.notes_ = std::move(notes);
    Status opened = text.value().empty() ? journal.begin(run) : journal.take_up(text.value(), run);
    if (!opened.ok()) {
      // A run that cannot begin leaves the unfinished one where --resume finds it.
      if (aside) ::rename(aside->c_str(), path.c_str());
      return opened;
    }
    return journal;
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
  Status written = write_line(to_line(run));
  return written.ok() ? sync() : written;
}

Status Journal::take_up(std::string_view text, const RunBegun& run) {
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
      return {StatusCode::invalid_argument, path_.string() + ":1: is not how a journal begins"};
    }
  }
  const std::string place = path_.string() + ":" + std::to_string(lines + 1) + ": ";
  if (lines == 0 && text.find('\n') != std::string_view::npos) {
    return {StatusCode::invalid_argument,
            place + "the beginning is damaged; without --resume the run starts anew"};
  }
  if (lines > 0 && run_.identity != run.identity) {
    return {StatusCode::invalid_argument, place + "is the journal of another run"};
  }
  if (whole < text.size()) {
    if (!truncate_to(file_, static_cast<std::int64_t>(whole))) return system_error("cut", path_);
    notes_.push_back(place + "cut off or damaged; what is missing from there on is measured again");
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

fs::path journal_path(const fs::path& base, const std::string& identity) {
  const std::string end = "." + crc32_text(identity) + ".journal";
  if (!is_tuning_file(base)) return base / ("autotune" + end);
  fs::path path = base;
  return path += end;
}

}  // namespace fastnorm::tuner
