// SPDX-License-Identifier: Apache-2.0
/// Entries that are well formed, and that this library cannot use all the same.
#pragma once

#include "core/backend.hpp"
#include "core/tuning_db.hpp"

#include <string>

namespace fastnorm::tuner {

/// What the entry's strategy, as this build has it, says against it: that there is no such
/// strategy, or not with that configuration, or that the key says of its results' bits what they
/// are not. Those of a newer library may be such. Empty for nothing, and where the build lacks the
/// back end, so that nothing can be said.
std::string strategy_problem(const TuningEntry& entry);

/// The same of an entry for that back end.
std::string strategy_problem(const Backend& backend, const TuningEntry& entry);

/// Whether the device of that back end that calls would run on is the one that was measured.
bool is_here(const Backend& backend, const DeviceKey& measured_on);

/// strategy_problem(), and why no call can run the entry on the device that it was measured on.
/// The latter only where that device is here, since nothing else knows all of its limits.
std::string problem_on_device(const TuningEntry& entry, const DeviceKey& measured_on);

}  // namespace fastnorm::tuner
