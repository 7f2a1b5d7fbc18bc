// SPDX-License-Identifier: Apache-2.0
/// The file that a run's recording goes to.
#pragma once

#include <fastnorm/status.hpp>

#include <filesystem>
#include <string_view>

namespace fastnorm::tuner {

/// Whether a recording may be written there: a new file, or one that replaces an earlier recording.
/// Errors, each with "--record" and the path: invalid_argument where anything else is there, where
/// the name is a database's, and where the folder is not there; unavailable, with the system's
/// reason, where the file cannot be read or written.
Status check_recording_target(const std::filesystem::path& path);

/// Writes it as a whole. Errors: those of check_recording_target(), since hours may have passed
/// since then, and those of replace_file().
Status replace_recording(const std::filesystem::path& path, std::string_view text);

}  // namespace fastnorm::tuner
