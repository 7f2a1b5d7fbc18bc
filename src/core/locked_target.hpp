// SPDX-License-Identifier: Apache-2.0
/// A file that is about to be replaced, and that nobody else replaces meanwhile.
#pragma once

#include "core/file_lock.hpp"

#include <fastnorm/status.hpp>

#include <filesystem>

namespace fastnorm {

struct LockedTarget {
  std::filesystem::path path;  ///< In full, without links.
  FileLock lock;
};

/// Prepares the target and waits for its lock. Errors: those of prepare_target() and
/// FileLock::acquire().
Result<LockedTarget> lock_target(const std::filesystem::path& path);

}  // namespace fastnorm
