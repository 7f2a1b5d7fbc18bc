// SPDX-License-Identifier: Apache-2.0
/// Why a call runs what it runs: what was looked for, in the order in which it is, and what came of
/// it.
#pragma once

#include "core/dispatcher.hpp"
#include "core/plan_impl.hpp"
#include "core/tuning_db.hpp"
#include "tuner/tuning_cost.hpp"

#include <optional>
#include <string>
#include <vector>

namespace fastnorm::tuner {

enum class Outcome {
  nothing,      ///< Looked for, and not found.
  passed_over,  ///< Found, and not usable.
  taken,
  not_needed,  ///< Something before it was taken.
};
const char* to_string(Outcome outcome) noexcept;

struct ExplainedStep {
  Origin origin = Origin::exact;
  Outcome outcome = Outcome::nothing;
  std::string words;  ///< What was found, or why nothing was.
};

struct Explanation {
  std::vector<ExplainedStep> steps;  ///< exact, bucket, nearest, same_arch, heuristic.
  std::optional<TuningMatch>
      entry;                       ///< That the selection comes from; it points into the database.
  std::optional<TuningCost> cost;  ///< Of leaving the shape untuned, where it is and that is known.
  std::string cost_words;
};

/// The selection must come from a call without wishes of its own, but for the back end. `here`:
/// software_here() of its back end.
Explanation explain_selection(const Problem& problem, const Selection& selection,
                              const TuningDb& db, const Provenance& here);

}  // namespace fastnorm::tuner
