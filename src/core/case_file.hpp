// SPDX-License-Identifier: Apache-2.0
/// Files of cases, added to by programs that run.
#pragma once

#include "core/case_text.hpp"

#include <fastnorm/status.hpp>

#include <cstddef>
#include <filesystem>
#include <vector>

namespace fastnorm {

/// More than a thousand times what any model needs.
inline constexpr std::size_t max_case_file_bytes = std::size_t{4} << 20;

/// Appends those of the cases whose names the file does not have; what is there stays as it is, to
/// the letter. Under the file's lock and replaced as a whole, so that no process's cases are lost
/// and no reader meets half of one. Makes the file and its folders where there are none. Errors:
/// invalid_argument (what is there is no list of cases with one below the other, or the file would
/// grow beyond its limit), unavailable (the system's reason, with the path); the file is then as it
/// was.
Status add_to_case_file(const std::filesystem::path& path, const std::vector<CaseText>& cases);

}  // namespace fastnorm
