// SPDX-License-Identifier: Apache-2.0
/// Where a file is kept that another takes the place of.
#pragma once

#include <filesystem>
#include <string_view>

namespace fastnorm {

/// The first of PATH.ENDING, PATH.2.ENDING, PATH.3.ENDING and so on at which nothing is, not even a
/// link to nothing. For the holder of a lock that keeps others from taking it.
std::filesystem::path free_name_aside(const std::filesystem::path& path, std::string_view ending);

}  // namespace fastnorm
