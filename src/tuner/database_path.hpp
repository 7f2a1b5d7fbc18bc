// SPDX-License-Identifier: Apache-2.0
/// The database of the commands that write one.
#pragma once

#include "tuner/options.hpp"

#include <fastnorm/status.hpp>

#include <filesystem>

namespace fastnorm::tuner {

/// A folder or a file. Error: no path is known.
Result<std::filesystem::path> database_path(const Options& options);

/// --db says "none" to commands that only read. Error: invalid_argument.
Status check_database_is_one(const Options& options);

}  // namespace fastnorm::tuner
