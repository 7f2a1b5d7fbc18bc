// SPDX-License-Identifier: Apache-2.0
/// The YAML form of a tuning file.
#pragma once

#include "core/tuning_db.hpp"

#include <fastnorm/status.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fastnorm {

struct ParsedTuningFile {
  /// Where an entry stands.
  struct Place {
    int line;
    int number;  ///< Among the entries as they are written, from 1.
  };

  TuningFile file;
  std::vector<Place> places;  ///< Of each of the file's entries.
  /// Entries that were left out, each with source, line and reason. The rest is usable.
  std::vector<std::string> problems;

  /// "FILE:LINE: entry NUMBER: ", as a problem of one of the file's entries begins.
  std::string place_text(std::size_t entry) const;
};

/// Parses `text`; `source` is its name in messages. Fails if the text is no YAML, not our schema or
/// of another schema version; a bad entry alone costs that entry. Never throws.
Result<ParsedTuningFile> parse_tuning_yaml(std::string_view text, const std::string& source);

/// Schema 1 with sorted entries, one line an entry's part: stable under version control.
std::string to_yaml(const TuningFile& file);

}  // namespace fastnorm
