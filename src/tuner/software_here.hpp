// SPDX-License-Identifier: Apache-2.0
/// What a database's entries would have for their provenance if they were measured now.
#pragma once

#include "core/backend.hpp"
#include "core/provenance.hpp"
#include "core/tuning_db.hpp"

#include <string>

namespace fastnorm::tuner {

/// The library's version and what lies below the back end, with the driver; no date.
Provenance software_here(const Backend& backend);

/// The library's recheck_note(), with the driver, where the file is for the device at hand; else
/// empty.
std::string recheck_note(const TuningFile& file, const Backend& backend, const std::string& db);

}  // namespace fastnorm::tuner
