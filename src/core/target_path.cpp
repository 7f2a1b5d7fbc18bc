// SPDX-License-Identifier: Apache-2.0
#include "core/target_path.hpp"

#include <deque>
#include <string>
#include <system_error>
#include <utility>

namespace fastnorm {
namespace {

namespace fs = std::filesystem;

/// `path` without links, "." and "..", there or not; canonical() asks that it be there.
fs::path resolve(const fs::path& path, std::error_code& error) {
  constexpr int most = 40;  // as the kernel follows
  std::error_code ignored;  // what is not there is no link
  fs::path resolved = path.root_path();
  const fs::path below_root = path.relative_path();
  std::deque<fs::path> left(below_root.begin(), below_root.end());
  for (int links = 0; !left.empty();) {
    const fs::path name = std::move(left.front());
    left.pop_front();
    if (name.empty() || name == ".") continue;
    const fs::path next = name == ".." ? resolved.parent_path() : resolved / name;
    if (!fs::is_symlink(fs::symlink_status(next, ignored))) {
      resolved = next;
      continue;
    }
    if (links++ == most) {
      error = std::make_error_code(std::errc::too_many_symbolic_link_levels);
      return path;
    }
    const fs::path link = fs::read_symlink(next, error);
    if (error) return path;
    if (link.is_absolute()) resolved = link.root_path();
    const fs::path leads_to = link.relative_path();
    left.insert(left.begin(), leads_to.begin(), leads_to.end());
  }
  return resolved;
}

Status failure(const std::string& action, const fs::path& path, const std::error_code& error) {
  return {StatusCode::unavailable,
          "cannot " + action + " " + path.string() + ": " + error.message()};
}

}  // namespace

Result<fs::path> prepare_target(const fs::path& path) {
  std::error_code error;
  fs::path target = fs::absolute(path, error);
  if (!error) target = resolve(target, error);
  if (error) return failure("find the folder of", path, error);
  const fs::path folder = target.parent_path();
  fs::create_directories(folder, error);
  if (error) return failure("create the folder", folder, error);
  return target;
}

}  // namespace fastnorm
