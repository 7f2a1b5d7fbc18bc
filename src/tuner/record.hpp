// SPDX-License-Identifier: Apache-2.0
/// The search's outcome in the database's terms.
#pragma once

#include "core/dispatcher.hpp"
#include "core/problem.hpp"
#include "core/tuning_db.hpp"
#include "measure/space.hpp"
#include "tuner/observed_evaluator.hpp"
#include "tuner/search.hpp"
#include "tuner/tuning_site.hpp"

#include <string>
#include <vector>

namespace fastnorm::tuner {

/// What an entry says of the choice's times.
TuningStats stats_of(const Choice& choice, const CaseStart& start,
                     const DisturbedContenders& disturbed);

/// An entry for the winner, and one for the best deterministic choice where the winner is none.
std::vector<TuningEntry> make_entries(const Problem& problem, const Candidate& target,
                                      const Outcome& outcome, const CaseStart& start,
                                      const DisturbedContenders& disturbed);

/// A file of the target's device that holds the entries, all measured on that date with this
/// software.
TuningFile make_file(const Candidate& target, const measure::Software& software, std::string utc,
                     std::vector<TuningEntry> entries);

/// Today, "2026-11-29".
std::string utc_date();

}  // namespace fastnorm::tuner
