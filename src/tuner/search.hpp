// SPDX-License-Identifier: Apache-2.0
/// Finds the fastest right candidate.
#pragma once

#include "measure/samples.hpp"
#include "tuner/budget.hpp"
#include "tuner/evaluator.hpp"
#include "tuner/search_method.hpp"
#include "tuner/search_space.hpp"

#include <fastnorm/status.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace fastnorm::tuner {

/// A candidate with its times of the final measurement.
struct Measured {
  Contender contender;
  measure::Summary time;
};

/// What is to be stored, and what it was measured against.
struct Choice {
  Measured winner;  ///< The default itself where nothing beat it.
  Measured default_choice;
};

struct Rejection {
  Contender contender;
  std::string reason;
};

struct Outcome {
  Choice best;
  /// The best whose results repeat bit for bit, against the default of those; only where the
  /// winner's do not.
  std::optional<Choice> best_deterministic;
  std::size_t evaluated = 0;  ///< Of the space's candidates.
  std::vector<Rejection> rejected;
};

enum class SearchPhase {
  trials,       ///< Candidates are tried.
  final_round,  ///< The fastest are measured anew, and the winner is verified.
};

/// How far a search is.
struct SearchProgress {
  SearchPhase phase = SearchPhase::trials;
  std::size_t evaluated = 0;
  std::size_t total = 0;
  double best_us = 0;             ///< Of the trials so far; 0 where there is none yet.
  double default_us = 0;          ///< Likewise of the default.
  double share_of_allowance = 0;  ///< Allowance::share_used()
};

/// How the search tells how far it is and asks whether to go on.
struct SearchControl {
  /// Called after each trial, and once when the final begins.
  std::function<void(const SearchProgress&)> progress = [](const SearchProgress&) {};
  std::function<bool()> interrupted = [] { return false; };
};

struct SearchSettings {
  SearchMethod method = SearchMethod::guided;
  std::uint64_t seed = 1;  ///< Of the orders of random trials and of the final's rounds.
};

/// Tries candidates in the method's order (trial_order.hpp), as far as the allowance goes: each is
/// verified, timed shortly, and unless it is a clear loser timed a little longer and verified
/// again. Those that may be the fastest, and the defaults, race in a final (race.hpp), and the
/// winner is verified once more, in place too. It has to beat the default in the final; of several
/// between which the final finds no difference, the simplest wins: the default, then what repeats
/// bit for bit, then what runs without blocks that wait for each other, then what comes first in
/// the space.
///
/// The same settings and the same answers of the evaluator give the same outcome. Errors:
/// unavailable when interrupted; the default's failure; the evaluator's health, once that is
/// one.
Result<Outcome> search(const SearchSpace& space, Evaluator& evaluator,
                       const SearchSettings& settings, const Allowance& allowance,
                       const SearchControl& control);

}  // namespace fastnorm::tuner
