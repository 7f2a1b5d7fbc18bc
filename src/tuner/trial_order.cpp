// SPDX-License-Identifier: Apache-2.0
#include "tuner/trial_order.hpp"

#include "tuner/time_model.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace fastnorm::tuner {
namespace {

class FixedOrder final : public TrialOrder {
 public:
  explicit FixedOrder(std::vector<std::size_t> order) : order_(std::move(order)) {}

  std::optional<std::size_t> next() override {
    if (place_ == order_.size()) return {};
    return order_[place_++];
  }

  void tell(std::size_t, double) override {}

 private:
  std::vector<std::size_t> order_;
  std::size_t place_ = 0;
};

/// The order with the proposals first and the others at random.
std::vector<std::size_t> random_order(const SearchSpace& space, std::uint64_t seed) {
  std::vector<std::size_t> order(space.contenders.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto first = order.begin() + static_cast<std::ptrdiff_t>(space.proposed);
  std::shuffle(first, order.end(), std::mt19937_64(seed));
  return order;
}

/// Of so many trials, one is not the model's: it sees only what it looks at. Every other one of
/// these is anyone.
constexpr std::size_t exploration = 4;

/// The others go to the strategies that have been tried least, of those whose fastest is not slower
/// than this times the fastest of all: some have a dozen candidates beside another's thousand.
constexpr double competitive = 1.5;

/// A candidate that is expected to gain less than this share of the best time is not promising.
constexpr double least_expected_gain = 0.0001;

/// After so many trials in a row without a promising candidate, or without a faster one, the search
/// has come to its end.
constexpr std::size_t hopeless_trials = 32;
constexpr std::size_t vain_trials = 128;

class GuidedOrder final : public TrialOrder {
 public:
  GuidedOrder(const SearchSpace& space, std::uint64_t seed)
      : space_(space),
        proposed_(space.proposed),
        tried_(space.contenders.size()),
        anyone_(random_order(space, seed)),
        model_(space) {}

  std::optional<std::size_t> next() override {
    const std::optional<std::size_t> index = choose();
    if (index) tried_[*index] = true;
    ++turn_;
    return index;
  }

  void tell(std::size_t index, double us) override {
    model_.observe(index, us);
    vain_ = us < best_us_ ? 0 : vain_ + 1;
    best_us_ = std::min(best_us_, us);
    Strategy& strategy = strategies_[space_.contenders[index].variant];
    ++strategy.trials;
    strategy.best_us = std::min(strategy.best_us, us);
  }

 private:
  std::optional<std::size_t> choose() {
    if (turn_ < proposed_) return turn_;
    const auto [promising, gain] = most_promising();
    hopeless_ = gain < least_expected_gain ? hopeless_ + 1 : 0;
    if (hopeless_ > hopeless_trials || vain_ >= vain_trials) return {};
    if (turn_ % exploration != 0) return promising;
    if (turn_ % (2 * exploration) == 0) return next_of_all();
    const KernelVariant* neglected = least_tried();
    return neglected == nullptr ? next_of_all() : most_promising(neglected).first;
  }

  /// Of equal ones the first: the one with the smaller estimate.
  std::pair<std::optional<std::size_t>, double> most_promising(
      const KernelVariant* of_strategy = nullptr) const {
    std::pair<std::optional<std::size_t>, double> best{std::nullopt, -1};
    for (std::size_t index = 0; index < tried_.size(); ++index) {
      if (tried_[index]) continue;
      if (of_strategy != nullptr && space_.contenders[index].variant != of_strategy) continue;
      const double gain = model_.expected_gain(index, best_us_);
      if (gain > best.second) best = {index, gain};
    }
    return best;
  }

  /// Among the competitive strategies that have something left. In the space's order, for it is to
  /// be the same one in each run.
  const KernelVariant* least_tried() const {
    const KernelVariant* least = nullptr;
    std::size_t trials = 0;
    for (std::size_t index = 0; index < tried_.size(); ++index) {
      if (tried_[index]) continue;
      const KernelVariant* variant = space_.contenders[index].variant;
      const auto found = strategies_.find(variant);
      if (found == strategies_.end() || found->second.best_us > competitive * best_us_) continue;
      if (least != nullptr && found->second.trials >= trials) continue;
      least = variant;
      trials = found->second.trials;
    }
    return least;
  }

  std::optional<std::size_t> next_of_all() {
    while (place_ < anyone_.size() && tried_[anyone_[place_]]) ++place_;
    if (place_ == anyone_.size()) return {};
    return anyone_[place_];
  }

  /// What has been told of one.
  struct Strategy {
    std::size_t trials = 0;
    double best_us = std::numeric_limits<double>::max();
  };

  const SearchSpace& space_;
  std::size_t proposed_;
  std::vector<bool> tried_;
  std::map<const KernelVariant*, Strategy> strategies_;
  std::vector<std::size_t> anyone_;
  std::size_t place_ = 0;  ///< In anyone.
  TimeModel model_;
  double best_us_ = std::numeric_limits<double>::max();
  std::size_t turn_ = 0;
  std::size_t hopeless_ = 0;  ///< Trials in a row without a promising candidate.
  std::size_t vain_ = 0;      ///< Trials since the fastest.
};

}  // namespace

std::unique_ptr<TrialOrder> make_trial_order(const SearchSpace& space, SearchMethod method,
                                             std::uint64_t seed) {
  if (method == SearchMethod::guided) return std::make_unique<GuidedOrder>(space, seed);
  if (method == SearchMethod::random) {
    return std::make_unique<FixedOrder>(random_order(space, seed));
  }
  std::vector<std::size_t> order(space.contenders.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  return std::make_unique<FixedOrder>(std::move(order));
}

}  // namespace fastnorm::tuner
