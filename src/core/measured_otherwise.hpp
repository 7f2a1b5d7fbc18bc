// SPDX-License-Identifier: Apache-2.0
/// Entries that were measured with other software than what is here: no reason to leave them out,
/// since they have their own kernel_version, but one to measure them again.
#pragma once

#include "core/backend.hpp"
#include "core/dispatcher.hpp"
#include "core/provenance.hpp"
#include "core/tuning_db.hpp"

#include <string>
#include <string_view>

namespace fastnorm {

/// What a measurement by the back end would have for its provenance now, as far as the library
/// itself knows: no driver, no date.
Provenance library_provenance(const Backend& backend);

/// "3 of 5 entries of cuda were measured with CUDA 12.8 instead of 13.0": the file's entries of
/// that back end, by what differs, the most first. Empty where nothing does.
std::string measured_otherwise(const TuningFile& file, std::string_view backend,
                               const Provenance& here);

/// The same, and for the user's files the command that measures those entries again; about shipped
/// ones a user can do nothing. `db` is what --db has to name for the file, if anything.
std::string recheck_note(const TuningFile& file, std::string_view backend, const Provenance& here,
                         const std::string& db);

/// Logs that for each file whose device is the candidate's, once a file and back end in the life of
/// the process: as a warning for the user's files, at level info for the shipped ones.
void report_measured_otherwise(const TuningDb& db, const Candidate& candidate);

}  // namespace fastnorm
