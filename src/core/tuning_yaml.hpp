// SPDX-License-Identifier: Apache-2.0
/// The YAML form of a tuning file.
#pragma once

#include "core/tuning_db.hpp"

#include <fastnorm/status.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace fastnorm {

struct ParsedTuningFile {
  TuningFile file;
  std::vector<int> lines;  ///< Where each of the file's entries stands.
  /// Entries that were left out, each with source, line and reason. The rest is usable.
  std::vector<std::string> problems;
};

/// Parses `text`; `source` is its name in messages. Fails if the text is no YAML, not our schema or
/// of another schema version; a bad entry alone costs that entry. Never throws.
Result<ParsedTuningFile> parse_tuning_yaml(std::string_view text, const std::string& source);

/// Schema 1 with sorted entries, one line an entry's part: stable under version control.
std::string to_yaml(const TuningFile& file);

}  // namespace fastnorm
