/// Whole files: read without surprises, replaced as a whole or not at all, locked against other
/// processes.
#pragma once

#include <fastnorm/status.hpp>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace fastnorm {

/// A file descriptor that closes itself.
class FileDescriptor {
 public:
  FileDescriptor() noexcept = default;
  explicit FileDescriptor(int fd) noexcept : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept;
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor();

  bool is_open() const noexcept { return fd_ >= 0; }
  int get() const noexcept { return fd_; }

  /// Closes it; false (and errno) if the system reports a failure only now.
  bool close() noexcept;

 private:
  int fd_ = -1;
};

/// The content of a regular file, or nothing where there is no file. Anything else (a folder, a
/// pipe, which might never end) and a file of more than `max_bytes` are errors. Errors:
/// unavailable, naming the path and the system's reason.
Result<std::optional<std::string>> read_file(const std::filesystem::path& path,
                                             std::size_t max_bytes);

/// Replaces the file by `text`: readers and a crash at any moment see the old content or the new
/// one. For the holder of the path's FileLock: the text goes to the path with ".tmp" appended
/// first.
Status replace_file(const std::filesystem::path& path, std::string_view text);

/// Keeps other holders of the same path's lock out, in this process and others, while it lives.
class FileLock {
 public:
  /// Waits for the lock. It lies in the path with ".lock" appended, which stays: a lock file that
  /// is removed lets two holders in.
  static Result<FileLock> acquire(const std::filesystem::path& path);

 private:
  explicit FileLock(FileDescriptor file) noexcept : file_(std::move(file)) {}
  FileDescriptor file_;
};

}  // namespace fastnorm
