// SPDX-License-Identifier: Apache-2.0
/// Where a file that is replaced as a whole really lies.
#pragma once

#include <fastnorm/status.hpp>

#include <filesystem>

namespace fastnorm {

/// `path` in full, its folder made, links followed wherever in it they stand, also those to what is
/// not there yet: a link stays a link. Errors: unavailable, with the system's reason and the folder
/// that cannot be made, or the path that leads nowhere.
Result<std::filesystem::path> prepare_target(const std::filesystem::path& path);

}  // namespace fastnorm
