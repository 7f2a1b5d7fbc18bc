// SPDX-License-Identifier: Apache-2.0
/// The candidates for a problem, in the order in which they are tried.
#pragma once

#include "core/backend.hpp"
#include "core/dispatcher.hpp"
#include "core/problem.hpp"

#include <fastnorm/status.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fastnorm::tuner {

/// A strategy with a configuration.
struct Contender {
  const KernelVariant* variant = nullptr;
  Config config;

  std::string text() const;  ///< "split_atomic threads=256,vec_width=4"

  /// From its text. Errors: invalid_argument (a strategy that the back end does not have, or not
  /// with such a configuration).
  static Result<Contender> parse(std::string_view text, const Backend& backend);

  bool deterministic() const { return variant->deterministic(); }
};

/// Distinct configurations that the device supports.
struct SearchSpace {
  /// First the proposals: what runs without a database, what does when results must repeat, what
  /// the database knows of this shape or a similar one, and the other strategies' defaults. Then
  /// all others from the smallest estimate up.
  std::vector<Contender> contenders;
  std::vector<double> estimates_us;  ///< Of each.
  std::size_t proposed = 0;          ///< How many of the first are proposals.
  std::size_t default_index = 0;
  std::size_t deterministic_default_index = 0;
};

/// What the database would run for the problem: of all, and of what repeats bit for bit. Without an
/// entry for it, or for a similar shape, the defaults.
/// Errors: those of choose(): no strategy supports the problem.
Result<std::vector<Contender>> known_choices(const Problem& problem, const Candidate& target,
                                             const TuningDb& db);

/// `known` is what a database knows of the problem. Candidates of the same estimate are in the
/// order of their strategies. Errors: those of choose().
Result<SearchSpace> make_search_space(const Problem& problem, const Candidate& target,
                                      const std::vector<Contender>& known);

}  // namespace fastnorm::tuner
