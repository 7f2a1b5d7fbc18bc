// SPDX-License-Identifier: Apache-2.0
/// Files that belong to another one, for whoever that one is for.
#pragma once

#include "core/file_descriptor.hpp"

#include <sys/types.h>

#include <filesystem>
#include <optional>

namespace fastnorm {

/// Who may do what with a file.
struct FileRights {
  uid_t owner = 0;
  gid_t group = 0;
  mode_t permissions = 0;
};

/// Nothing where there is no file.
std::optional<FileRights> rights_of(const std::filesystem::path& path) noexcept;

/// Gives a file these rights, as far as the process may: the owner is for root to change, and where
/// the file cannot be given to the group, its own group may do what all may.
void give_rights(const FileDescriptor& file, const FileRights& rights) noexcept;

}  // namespace fastnorm
