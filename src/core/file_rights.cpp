// SPDX-License-Identifier: Apache-2.0
#include "core/file_rights.hpp"

#include <sys/stat.h>
#include <unistd.h>

namespace fastnorm {

std::optional<FileRights> rights_of(const std::filesystem::path& path) noexcept {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return std::nullopt;
  constexpr mode_t permissions = S_IRWXU | S_IRWXG | S_IRWXO;
  return FileRights{info.st_uid, info.st_gid, info.st_mode & permissions};
}

void give_rights(const FileDescriptor& file, const FileRights& rights) noexcept {
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return;
  constexpr auto same_owner = static_cast<uid_t>(-1);
  const bool has_group = (info.st_uid == rights.owner && info.st_gid == rights.group) ||
                         ::fchown(file.get(), rights.owner, rights.group) == 0 ||
                         ::fchown(file.get(), same_owner, rights.group) == 0;
  constexpr unsigned bits_a_class = 3;
  const mode_t others_as_group = (rights.permissions & S_IRWXO) << bits_a_class;
  const mode_t permissions =
      has_group ? rights.permissions : (rights.permissions & ~mode_t{S_IRWXG}) | others_as_group;
  static_cast<void>(::fchmod(file.get(), permissions));
}

}  // namespace fastnorm
