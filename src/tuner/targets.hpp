/// Which back ends on which devices a run is for.
#pragma once

#include "core/dispatcher.hpp"
#include "tuner/options.hpp"

#include <fastnorm/status.hpp>

#include <vector>

namespace fastnorm::tuner {

/// The back ends that --backend names and whose device is there; not empty.
/// Errors: unavailable, in one sentence that says what is there and what to type instead.
Result<std::vector<Candidate>> select_targets(const Options& options);

}  // namespace fastnorm::tuner
