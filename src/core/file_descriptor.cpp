// SPDX-License-Identifier: Apache-2.0
#include "core/file_descriptor.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string>
#include <system_error>
#include <utility>

namespace fastnorm {

FileDescriptor::FileDescriptor(FileDescriptor&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)) {}

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

FileDescriptor::~FileDescriptor() { close(); }

bool FileDescriptor::close() noexcept { return fd_ < 0 || ::close(std::exchange(fd_, -1)) == 0; }

namespace {

/// In a program whose standard streams are closed, whatever prints would print into the file.
FileDescriptor above_standard_streams(FileDescriptor file) noexcept {
  if (!file.is_open() || file.get() > STDERR_FILENO) return file;
  return FileDescriptor(::fcntl(file.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

}  // namespace

FileDescriptor open_file(const std::filesystem::path& path, int flags) noexcept {
  constexpr mode_t all = 0666;
  int fd = -1;
  do {
    fd = ::open(path.c_str(), flags | O_CLOEXEC, all);
  } while (fd < 0 && errno == EINTR);
  return above_standard_streams(FileDescriptor(fd));
}

bool write_all(const FileDescriptor& file, std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = ::write(file.get(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

Status system_error(const char* action, const std::filesystem::path& path) {
  const int error = errno;
  return Status(StatusCode::unavailable, "cannot " + std::string(action) + " " + path.string() +
                                             ": " + std::generic_category().message(error));
}

}  // namespace fastnorm
