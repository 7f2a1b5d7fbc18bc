#include "tuner/search_space.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <unordered_map>
#include <utility>

namespace fastnorm::tuner {
namespace {

Result<Contender> heuristic_choice(const Problem& problem, const Candidate& target,
                                   const PlanOptions& options) {
  const Result<Selection> selection = choose(problem, {target}, TuningDb(), options);
  if (!selection.ok()) return selection.status();
  return Contender{selection.value().variant, selection.value().config};
}

/// Contenders without repetition.
class ContenderList {
 public:
  /// Appends unless it is there; its position.
  std::size_t add(const Contender& contender) {
    const auto [known, is_new] = positions_.emplace(contender.text(), contenders_.size());
    if (is_new) contenders_.push_back(contender);
    return known->second;
  }

  std::vector<Contender> take() && { return std::move(contenders_); }

 private:
  std::vector<Contender> contenders_;
  std::unordered_map<std::string, std::size_t> positions_;
};

std::vector<Contender> by_estimate(const KernelVariant& variant, const Problem& problem,
                                   const DeviceInfo& device, std::mt19937_64& random) {
  std::vector<std::pair<double, Config>> ranked;
  for (Config& config : variant.configs(problem, device)) {
    const double estimate = variant.estimate_us(problem, device, config);
    ranked.emplace_back(estimate, std::move(config));
  }
  std::shuffle(ranked.begin(), ranked.end(), random);
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Contender> contenders;
  for (auto& [estimate, config] : ranked) contenders.push_back({&variant, std::move(config)});
  return contenders;
}

}  // namespace

std::string Contender::text() const { return std::string(variant->name()) + " " + config.text(); }

Result<SearchSpace> make_search_space(const Problem& problem, const Candidate& target,
                                      std::uint64_t seed) {
  PlanOptions options;
  options.tuning = Tuning::heuristic;
  const Result<Contender> chosen = heuristic_choice(problem, target, options);
  if (!chosen.ok()) return chosen.status();
  options.deterministic = true;
  const Result<Contender> repeatable = heuristic_choice(problem, target, options);
  if (!repeatable.ok()) return repeatable.status();

  SearchSpace space;
  ContenderList list;
  space.default_index = list.add(chosen.value());
  space.deterministic_default_index = list.add(repeatable.value());

  std::mt19937_64 random(seed);
  std::vector<std::vector<Contender>> of_strategies;
  std::size_t longest = 0;
  for (const KernelVariant* variant : target.backend->variants()) {
    if (!variant->supports(problem, *target.device).ok) continue;
    list.add({variant, variant->default_config(problem, *target.device)});
    of_strategies.push_back(by_estimate(*variant, problem, *target.device, random));
    longest = std::max(longest, of_strategies.back().size());
  }
  for (std::size_t turn = 0; turn < longest; ++turn) {
    for (const std::vector<Contender>& contenders : of_strategies) {
      if (turn < contenders.size()) list.add(contenders[turn]);
    }
  }
  space.contenders = std::move(list).take();
  return space;
}

}  // namespace fastnorm::tuner
