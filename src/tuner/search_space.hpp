/// The candidates for a problem, in the order in which they are tried.
#pragma once

#include "core/backend.hpp"
#include "core/dispatcher.hpp"
#include "core/problem.hpp"

#include <fastnorm/status.hpp>

#include <cstddef>
#include <cstdint>
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

struct SearchSpace {
  /// First what runs without a database, then what does when results must repeat, then what the
  /// database knows of this shape or a similar one, then the other strategies' defaults; then
  /// mostly from the smallest estimate up, and one in four the strategies by turns, so that a
  /// search that is cut short has seen the likely best, and some of all of them.
  std::vector<Contender> contenders;
  std::size_t default_index = 0;
  std::size_t deterministic_default_index = 0;
};

/// What the database would run for the problem: of all, and of what repeats bit for bit. Without an
/// entry for it, or for a similar shape, the defaults.
/// Errors: those of choose(): no strategy supports the problem.
Result<std::vector<Contender>> known_choices(const Problem& problem, const Candidate& target,
                                             const TuningDb& db);

/// `known` is what a database knows of the problem. The seed orders candidates of the same
/// estimate. Errors: those of choose().
Result<SearchSpace> make_search_space(const Problem& problem, const Candidate& target,
                                      const std::vector<Contender>& known, std::uint64_t seed);

}  // namespace fastnorm::tuner
