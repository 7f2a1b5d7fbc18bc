// SPDX-License-Identifier: Apache-2.0
/// Which candidate is tried next.
#pragma once

#include "tuner/search_method.hpp"
#include "tuner/search_space.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace fastnorm::tuner {

class TrialOrder {
 public:
  virtual ~TrialOrder() = default;

  /// Each candidate once at most; nothing where no other is worth a trial. The space's proposals
  /// come first, in their order.
  virtual std::optional<std::size_t> next() = 0;

  /// Says how fast one is.
  virtual void tell(std::size_t index, double us) = 0;
};

/// exhaustive: the space's order. random: one that the seed decides. guided: whichever is expected
/// to gain most over the fastest so far, by a model of those that have been timed (time_model.hpp),
/// and one in four from the random order, since a model learns nothing of where it never looks; it
/// ends after 32 trials in a row at whose time no candidate was expected to gain 0.01%, or 128 of
/// which none was faster than all before.
///
/// `space` has to outlive the order.
std::unique_ptr<TrialOrder> make_trial_order(const SearchSpace& space, SearchMethod method,
                                             std::uint64_t seed);

}  // namespace fastnorm::tuner
