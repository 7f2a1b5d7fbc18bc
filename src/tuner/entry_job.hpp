// SPDX-License-Identifier: Apache-2.0
/// From an entry of a database back to a case that measures it.
#pragma once

#include "core/tuning_db.hpp"
#include "tuner/jobs.hpp"

#include <fastnorm/status.hpp>

#include <string>

namespace fastnorm::tuner {

/// "group_norm f32 112x64x262144 groups=8": what an entry is about, for people.
std::string title(const TuningEntry& entry);

/// A case that finds the entry, exactly. It stands for all that do: an entry does not say how the
/// rows of a layer_norm lie in samples, nor whether there were gamma and beta (here they are).
/// Errors: unsupported.
Result<Job> job_of(const TuningEntry& entry);

}  // namespace fastnorm::tuner
