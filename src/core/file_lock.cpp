// SPDX-License-Identifier: Apache-2.0
#include "core/file_lock.hpp"

#include "core/companion_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace fastnorm {
namespace {

/// The whole file, of whatever length, for writing.
bool lock_all(const FileDescriptor& file, int command) noexcept {
  struct flock range {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  int result = -1;
  do {
    result = ::fcntl(file.get(), command, &range);
  } while (result != 0 && errno == EINTR);
  return result == 0;
}

}  // namespace

Result<FileLock> FileLock::acquire(const std::filesystem::path& path) {
  std::filesystem::path lock_path = path;
  lock_path += ".lock";
  Result<FileDescriptor> opened = open_companion(lock_path, path);
  if (!opened.ok()) return opened.status();
  FileDescriptor file = std::move(opened).value();
  if (!lock_all(file, F_OFD_SETLKW)) return system_error("lock", lock_path);
  return FileLock(std::move(file));
}

Result<bool> try_lock(const FileDescriptor& file, const std::filesystem::path& path) {
  if (lock_all(file, F_OFD_SETLK)) return true;
  if (errno == EAGAIN || errno == EACCES) return false;
  return system_error("lock", path);
}

}  // namespace fastnorm
