// SPDX-License-Identifier: Apache-2.0
/// The file in which a run keeps what it has measured, so that another session can go on with it.
#pragma once

#include "core/file_descriptor.hpp"
#include "tuner/journal_record.hpp"

#include <fastnorm/status.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fastnorm::tuner {

/// Records are only ever appended, each by one write when what it tells has ended, so that a killed
/// process loses what it was measuring at that moment. The disk is waited for once a second and
/// before winners are stored: a power failure costs the evaluations of the last second at most.
/// Waiting for each of them takes 2 ms on a local disk, which is as long as many of them take. What
/// cannot have been written whole, by its checksum, is cut off when the file is opened again.
class Journal {
 public:
  enum class Start {
    anew,    ///< An unfinished run is set aside, as PATH.old, or PATH.2.old where that is taken.
    resumed  ///< Goes on with what is there, or begins where nothing is.
  };

  /// Locked against other processes for as long as the object lives, and for whoever `database`, a
  /// file, is for, so that any of them can go on with the run. Creates the folder. Errors:
  /// unavailable (those of open_companion(); the same run is under way elsewhere), and where it
  /// cannot go on with what is there: the file is then as it was.
  static Result<Journal> open(const std::filesystem::path& path,
                              const std::filesystem::path& database, const RunBegun& run,
                              Start start);

  /// The run as it was begun, perhaps in an earlier session.
  const RunBegun& run() const noexcept { return run_; }

  /// Those of earlier sessions, without the first.
  const std::vector<JournalRecord>& records() const noexcept { return records_; }

  /// What the user should know of how it was opened.
  const std::vector<std::string>& notes() const noexcept { return notes_; }

  /// Whether there is nothing to go on with.
  bool empty() const noexcept { return records_.empty() && !appended_; }

  /// Those of all sessions so far, without the first. Errors: unavailable.
  Result<std::vector<JournalRecord>> all_records() const;

  /// Errors: unavailable, with the path and the system's reason. The records before it are whole.
  /// This and sync() are safe from several threads.
  Status append(const JournalRecord& record);

  /// Waits until the disk has all records.
  Status sync();

  /// The run has ended, and nobody needs it any more.
  void remove();

  /// The run ends with nothing to go on with: what was set aside for it is put back. Whether there
  /// was such a run, so that a resumed session goes on with that one.
  bool give_way();

  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  Journal(std::filesystem::path path, FileDescriptor file)
      : path_(std::move(path)), file_(std::move(file)) {}

  /// Takes up the text of earlier sessions; cuts off what is not whole.
  Status take_up(std::string_view text, const RunBegun& run);
  Status begin(const RunBegun& run);
  Status write_line(const std::string& line);
  Status sync_now();

  std::filesystem::path path_;
  FileDescriptor file_;
  std::optional<std::filesystem::path> aside_;  ///< Where the run before this one has been put.
  std::int64_t bytes_ = 0;                      ///< Of whole records.
  RunBegun run_;
  std::vector<JournalRecord> records_;
  std::vector<std::string> notes_;
  bool appended_ = false;
  std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();
  std::chrono::steady_clock::time_point synced_ = std::chrono::steady_clock::now();
};

/// Where the journal of such a run lies: beside the database `base`, a folder or a file, and
/// under a name that runs of another identity do not have.
std::filesystem::path journal_path(const std::filesystem::path& base, const std::string& identity);

}  // namespace fastnorm::tuner
