/// Which candidate is tried next.
#pragma once

#include "tuner/search_space.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace fastnorm::tuner {

/// The candidates in the order that they have, and from the ninth trial on every other one a
/// neighbour of the fastest so far: of its strategy, and different in one field. Estimates lead to
/// the neighbourhood of the optimum, and are not good enough to tell who lives there.
class TrialOrder {
 public:
  /// `contenders` has to outlive the object.
  explicit TrialOrder(const std::vector<Contender>& contenders);

  /// Each one once; nothing after the last.
  std::optional<std::size_t> next();

  /// Says that this one is the fastest so far.
  void lead(std::size_t index);

 private:
  /// Moves `place` to an entry of `order` that has not been tried.
  bool find_untried(const std::vector<std::size_t>& order, std::size_t& place) const;

  const std::vector<Contender>& contenders_;
  std::vector<ConfigFields> fields_;  ///< Of each.
  std::vector<bool> tried_;
  std::vector<std::size_t> all_;
  std::vector<std::size_t> neighbours_;  ///< Of the fastest so far, in the order of all.
  std::size_t place_ = 0;                ///< In all.
  std::size_t neighbour_ = 0;            ///< In the neighbours.
  std::size_t turn_ = 0;
};

}  // namespace fastnorm::tuner
