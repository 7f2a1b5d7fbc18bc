#include "tuner/trial_order.hpp"

#include <numeric>

namespace fastnorm::tuner {
namespace {

/// Trials before the fastest of them is worth a closer look.
constexpr std::size_t survey = 8;

std::size_t differences(const ConfigFields& a, const ConfigFields& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += a[i].value == b[i].value ? 0 : 1;
  return count;
}

}  // namespace

TrialOrder::TrialOrder(const std::vector<Contender>& contenders)
    : contenders_(contenders), tried_(contenders.size()), all_(contenders.size()) {
  for (const Contender& contender : contenders) fields_.push_back(contender.config.fields());
  std::iota(all_.begin(), all_.end(), std::size_t{0});
}

bool TrialOrder::find_untried(const std::vector<std::size_t>& order, std::size_t& place) const {
  while (place < order.size() && tried_[order[place]]) ++place;
  return place < order.size();
}

std::optional<std::size_t> TrialOrder::next() {
  if (!find_untried(all_, place_)) return {};
  const bool nearby = turn_ >= survey && turn_ % 2 == 0 && find_untried(neighbours_, neighbour_);
  const std::size_t index = nearby ? neighbours_[neighbour_] : all_[place_];
  tried_[index] = true;
  ++turn_;
  return index;
}

void TrialOrder::lead(std::size_t index) {
  neighbours_.clear();
  neighbour_ = 0;
  for (const std::size_t other : all_) {
    if (contenders_[other].variant != contenders_[index].variant) continue;
    if (differences(fields_[other], fields_[index]) == 1) neighbours_.push_back(other);
  }
}

}  // namespace fastnorm::tuner
