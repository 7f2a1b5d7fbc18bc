// SPDX-License-Identifier: Apache-2.0
#include "core/file_lock.hpp"

#include "core/file_rights.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

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

/// Whoever may write the file must be able to lock it; so must its owner, who may do anything.
FileRights lock_rights(FileRights rights) noexcept {
  constexpr mode_t no_program = S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH;
  rights.permissions = (rights.permissions & no_program) | S_IRUSR | S_IWUSR;
  return rights;
}

}  // namespace

Result<FileLock> FileLock::acquire(const std::filesystem::path& path) {
  std::filesystem::path lock_path = path;
  lock_path += ".lock";
  // What is made here is nobody's link: its rights are about to change.
  FileDescriptor file = open_file(lock_path, O_RDWR | O_CREAT | O_NOFOLLOW);
  if (!file.is_open()) return system_error("create", lock_path);
  if (const auto rights = rights_of(path)) give_rights(file, lock_rights(*rights));
  if (!lock_all(file, F_OFD_SETLKW)) return system_error("lock", lock_path);
  return FileLock(std::move(file));
}

Result<bool> try_lock(const FileDescriptor& file, const std::filesystem::path& path) {
  if (lock_all(file, F_OFD_SETLK)) return true;
  if (errno == EAGAIN || errno == EACCES) return false;
  return system_error("lock", path);
}

}  // namespace fastnorm
