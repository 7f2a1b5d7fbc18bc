// SPDX-License-Identifier: Apache-2.0
/// The database of the commands that write one.
#pragma once

#include "tuner/options.hpp"

#include <fastnorm/status.hpp>

#include <filesystem>
#include <string>
#include <string_view>

namespace fastnorm::tuner {

/// A folder or a file. Error: no path is known.
Result<std::filesystem::path> database_path(const Options& options);

/// "none" means no database, to commands that can do without. `name` is what the path was given
/// for. Error: invalid_argument.
Status check_is_database(std::string_view name, const std::string& path);

}  // namespace fastnorm::tuner
