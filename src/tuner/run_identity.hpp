// SPDX-License-Identifier: Apache-2.0
/// What two runs must have in common for one to go on where the other was cut off.
#pragma once

#include "core/dispatcher.hpp"
#include "measure/space.hpp"
#include "tuner/budget.hpp"
#include "tuner/jobs.hpp"
#include "tuner/target_run.hpp"

#include <optional>
#include <string>
#include <vector>

namespace fastnorm::tuner {

struct IdentifiedTarget {
  Candidate candidate;
  measure::Software software;
  std::optional<int> gpu{};  ///< Its number, where the run is for certain ones.
};

/// A line a fact: versions, budget, search, seed, devices with their software, cases with their
/// problems. Not the database: a run may be told to write elsewhere half way.
std::string run_identity(const Budget& budget, const TuningSettings& settings,
                         const std::vector<IdentifiedTarget>& targets,
                         const std::vector<Job>& jobs);

}  // namespace fastnorm::tuner
