// SPDX-License-Identifier: Apache-2.0
/// Locks between processes, on one machine and on several that share a file system.
///
/// They are byte-range locks of the open file description (fcntl, F_OFD_SETLK). Byte ranges are
/// what the protocols of network file systems know (NFSv3 by its lock manager, NFSv4 and SMB by
/// themselves; CephFS, GPFS, and Lustre mounted with `flock`), so that the server decides between
/// machines. The kernel gives a lock back when its holder ends, however it ends, and the server
/// when a machine is gone; a lock file whose existence is the lock would have to be told from what
/// a killed process has left. And unlike the older POSIX form (F_SETLK), a lock of the description
/// holds between the threads of a process, and is not lost with another descriptor of the file.
#pragma once

#include "core/file_descriptor.hpp"

#include <fastnorm/status.hpp>

#include <filesystem>
#include <utility>

namespace fastnorm {

/// Keeps other holders of the same path's lock out, in this process and others, while it lives.
class FileLock {
 public:
  /// Waits for the lock. It lies in the path with ".lock" appended, which stays: a lock file that
  /// is removed lets two holders in. Where there is a file at the path, the lock file has its group
  /// and its permissions, so that whoever may write the one can lock it. Errors: those of
  /// open_companion(); unavailable, with the path and the system's reason.
  static Result<FileLock> acquire(const std::filesystem::path& path);

 private:
  explicit FileLock(FileDescriptor file) noexcept : file_(std::move(file)) {}
  FileDescriptor file_;
};

/// Locks the file itself for as long as its description is open, if nobody else has. `path` is its
/// name in messages. The file must be open for writing.
Result<bool> try_lock(const FileDescriptor& file, const std::filesystem::path& path);

}  // namespace fastnorm
