// SPDX-License-Identifier: Apache-2.0
/// The files that merge and validate are given.
#pragma once

#include <fastnorm/status.hpp>

#include <filesystem>
#include <string>

namespace fastnorm::tuner {

/// All of the file's text. Errors: those of read_file(); unavailable where there is none, with what
/// a link leads to that is not there.
Result<std::string> read_database_file(const std::filesystem::path& path);

}  // namespace fastnorm::tuner
