// SPDX-License-Identifier: Apache-2.0
/// Files that lie beside another one, the principal, for whoever may write that one: its lock, the
/// journal of a run that writes it.
#pragma once

#include "core/file_descriptor.hpp"

#include <fastnorm/status.hpp>

#include <filesystem>

namespace fastnorm {

/// Opens the file at `path` for reading and writing, with `flags` besides, and makes it where there
/// is none. Each time, as far as the process may, it gets the group and the permissions of the
/// principal where that is there, and is no link therefore. Errors: unavailable, with the path and
/// the system's reason; of another user's file, whose it is and how that user can share it.
Result<FileDescriptor> open_companion(const std::filesystem::path& path,
                                      const std::filesystem::path& principal, int flags = 0);

}  // namespace fastnorm
