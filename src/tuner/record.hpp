/// The search's outcome in the database's terms.
#pragma once

#include "core/dispatcher.hpp"
#include "core/problem.hpp"
#include "core/tuning_db.hpp"
#include "measure/space.hpp"
#include "tuner/search.hpp"

#include <vector>

namespace fastnorm::tuner {

/// An entry for the winner, and one for the best deterministic choice where the winner is none.
std::vector<TuningEntry> make_entries(const Problem& problem, const Candidate& target,
                                      const Outcome& outcome, double copy_us);

/// A file of the target's device that holds the entries, measured now with this software.
TuningFile make_file(const Candidate& target, const measure::Software& software,
                     std::vector<TuningEntry> entries);

}  // namespace fastnorm::tuner
