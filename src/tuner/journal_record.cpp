// SPDX-License-Identifier: Apache-2.0
#include "tuner/journal_record.hpp"

namespace fastnorm::tuner {

std::string to_line(const JournalRecord& record) { return to_record_line(record); }

std::optional<JournalRecord> parse_line(std::string_view line) {
  return parse_record_line<JournalRecord>(line);
}

}  // namespace fastnorm::tuner
