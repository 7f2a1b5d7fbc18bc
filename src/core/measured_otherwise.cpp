// SPDX-License-Identifier: Apache-2.0
#include "core/measured_otherwise.hpp"

#include "core/counted.hpp"
#include "core/log.hpp"
#include "core/shell_word.hpp"

#include <fastnorm/version.hpp>

#include <cstddef>
#include <map>
#include <mutex>
#include <set>
#include <utility>

namespace fastnorm {
namespace {

/// Whether it is the first time that the process asks about this file and back end.
bool first_look(const std::string& file, std::string_view backend) {
  // Never destroyed: threads may still make plans while the process exits.
  static auto& mutex = *new std::mutex;
  static auto& seen = *new std::set<std::pair<std::string, std::string>>;
  const std::lock_guard<std::mutex> lock(mutex);
  return seen.emplace(file, backend).second;
}

}  // namespace

Provenance library_provenance(const Backend& backend) {
  Provenance provenance;
  provenance.fastnorm = version();
  if (const Result<Software> software = backend.software(); software.ok()) {
    provenance.cuda = software.value().cuda;
  }
  return provenance;
}

std::string measured_otherwise(const TuningFile& file, std::string_view backend,
                               const Provenance& here) {
  std::size_t all = 0;
  std::map<std::string, std::size_t> counts;  // by what differs
  for (const TuningEntry& entry : file.entries) {
    if (entry.key.backend != backend) continue;
    ++all;
    const std::string difference = software_difference(entry.provenance, here);
    if (!difference.empty()) ++counts[difference];
  }
  std::string text;
  for (const auto& [difference, count] : most_first(counts)) {
    if (text.empty()) {
      text = std::to_string(count) + " of " + counted(all, "entry", "entries") + " of " +
             std::string(backend) + (count == 1 ? " was" : " were");
    } else {
      text += "; " + std::to_string(count);
    }
    text += " measured with " + difference;
  }
  return text;
}

std::string recheck_note(const TuningFile& file, std::string_view backend, const Provenance& here,
                         const std::string& db) {
  const std::string found = measured_otherwise(file, backend, here);
  if (found.empty() || file.owner == TuningFile::Owner::library) return found;
  return found + "; \"autotune recheck --backend " + std::string(family_of(backend)) +
         (db.empty() ? "" : " --db " + shell_word(db)) + "\" measures again";
}

void report_measured_otherwise(const TuningDb& db, const Candidate& candidate) {
  const std::string_view backend = candidate.backend->name();
  const DeviceKey device = DeviceKey::of(*candidate.device);
  for (const TuningFile& file : db.files()) {
    const bool is_shipped = file.owner == TuningFile::Owner::library;
    if (is_shipped && !log_enabled(LogLevel::info)) continue;
    if (match(file.device, device) != DeviceMatch::exact) continue;
    if (!first_look(file.source, backend)) continue;
    const std::string note =
        recheck_note(file, backend, library_provenance(*candidate.backend), file.source);
    if (note.empty()) continue;
    log(is_shipped ? LogLevel::info : LogLevel::warning, file.source + ": " + note);
  }
}

}  // namespace fastnorm
