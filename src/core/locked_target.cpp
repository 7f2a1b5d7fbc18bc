// SPDX-License-Identifier: Apache-2.0
#include "core/locked_target.hpp"

#include "core/target_path.hpp"

#include <utility>

namespace fastnorm {

Result<LockedTarget> lock_target(const std::filesystem::path& path) {
  Result<std::filesystem::path> target = prepare_target(path);
  if (!target.ok()) return target.status();
  Result<FileLock> lock = FileLock::acquire(target.value());
  if (!lock.ok()) return lock.status();
  return LockedTarget{std::move(target).value(), std::move(lock).value()};
}

}  // namespace fastnorm
