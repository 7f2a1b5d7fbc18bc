// SPDX-License-Identifier: Apache-2.0
#include "core/target_path.hpp"

#include <system_error>
#include <utility>

namespace fastnorm {
namespace {

namespace fs = std::filesystem;

/// Where a link leads in the end, there or not; canonical() asks that it be there.
fs::path follow_links(fs::path path, std::error_code& error) {
  constexpr int most = 40;  // as the kernel follows
  std::error_code ignored;  // what is not there is no link
  for (int links = 0; fs::is_symlink(fs::symlink_status(path, ignored)); ++links) {
    if (links == most) {
      error = std::make_error_code(std::errc::too_many_symbolic_link_levels);
      return path;
    }
    const fs::path next = fs::read_symlink(path, error);
    if (error) return path;
    path = path.parent_path() / next;
  }
  return path;
}

/// The file's own link first: its folder is then that of what it leads to.
fs::path make_target(const fs::path& path, std::error_code& error) {
  fs::path file = fs::absolute(path, error);
  if (!error) file = follow_links(std::move(file), error);
  fs::path folder;
  if (!error) folder = follow_links(file.parent_path(), error);
  if (!error) fs::create_directories(folder, error);
  return error ? file : fs::weakly_canonical(file, error);
}

}  // namespace

Result<fs::path> prepare_target(const fs::path& path) {
  std::error_code error;
  fs::path target = make_target(path, error);
  if (!error) return target;
  return Status(StatusCode::unavailable,
                "cannot create the folder of " + path.string() + ": " + error.message());
}

}  // namespace fastnorm
