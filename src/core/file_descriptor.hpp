// SPDX-License-Identifier: Apache-2.0
/// File descriptors that close themselves, and the system calls on them that have to be repeated.
#pragma once

#include <fastnorm/status.hpp>

#include <filesystem>
#include <string_view>

namespace fastnorm {

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

/// open(2), close-on-exec, and never as a standard stream, though that may be closed; not open (and
/// errno) where it fails. What is created may be read and written by all, less the umask.
FileDescriptor open_file(const std::filesystem::path& path, int flags) noexcept;

/// All of the text; false (and errno) where less was written.
bool write_all(const FileDescriptor& file, std::string_view text) noexcept;

/// "cannot ACTION PATH: REASON", the reason being errno's: to be called before anything changes it.
Status system_error(const char* action, const std::filesystem::path& path);

}  // namespace fastnorm
