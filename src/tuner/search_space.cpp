#include "tuner/search_space.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <unordered_map>
#include <utility>

namespace fastnorm::tuner {
namespace {

Result<Contender> choice(const Problem& problem, const Candidate& target, const TuningDb& db,
                         const PlanOptions& options) {
  const Result<Selection> selection = choose(problem, {target}, db, options);
  if (!selection.ok()) return selection.status();
  return Contender{selection.value().variant, selection.value().config};
}

/// For results that repeat bit for bit.
PlanOptions repeatable() {
  PlanOptions options;
  options.deterministic = true;
  return options;
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

  /// Appends up to `count` of those of `source` that are not there, from its place `next` on.
  void add_new(const std::vector<Contender>& source, std::size_t& next, std::size_t count) {
    const std::size_t wanted = contenders_.size() + count;
    while (next < source.size() && contenders_.size() < wanted) add(source[next++]);
  }

  std::vector<Contender> take() && { return std::move(contenders_); }

 private:
  std::vector<Contender> contenders_;
  std::unordered_map<std::string, std::size_t> positions_;
};

struct Ranked {
  double estimate_us;
  Contender contender;
};

std::vector<Ranked> ranked(const KernelVariant& variant, const Problem& problem,
                           const DeviceInfo& device) {
  std::vector<Ranked> all;
  for (Config& config : variant.configs(problem, device)) {
    const double estimate = variant.estimate_us(problem, device, config);
    all.push_back({estimate, {&variant, std::move(config)}});
  }
  return all;
}

/// Those of equal estimates in the order that they have.
std::vector<Contender> by_estimate(std::vector<Ranked> ranked) {
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const Ranked& a, const Ranked& b) { return a.estimate_us < b.estimate_us; });
  std::vector<Contender> contenders;
  for (Ranked& one : ranked) contenders.push_back(std::move(one.contender));
  return contenders;
}

/// One of each list after another.
std::vector<Contender> by_turns(const std::vector<std::vector<Contender>>& lists) {
  std::vector<Contender> contenders;
  std::size_t longest = 0;
  for (const std::vector<Contender>& list : lists) longest = std::max(longest, list.size());
  for (std::size_t turn = 0; turn < longest; ++turn) {
    for (const std::vector<Contender>& list : lists) {
      if (turn < list.size()) contenders.push_back(list[turn]);
    }
  }
  return contenders;
}

/// Of four candidates, how many are those of the smallest estimate, whatever their strategy. The
/// others are the strategies' by turns: an estimate may be wrong about a whole strategy.
constexpr std::size_t likely_best = 3;

}  // namespace

std::string Contender::text() const { return std::string(variant->name()) + " " + config.text(); }

Result<Contender> Contender::parse(std::string_view text, const Backend& backend) {
  const std::size_t space = std::min(text.find(' '), text.size());
  const KernelVariant* variant = find_variant(backend, text.substr(0, space));
  if (variant == nullptr) {
    return Status(
        StatusCode::invalid_argument,
        "\"" + std::string(text) + "\" names no strategy of " + std::string(backend.name()));
  }
  text.remove_prefix(std::min(space + 1, text.size()));
  const Result<ConfigFields> fields = parse_config_text(text);
  if (!fields.ok()) return fields.status();
  Result<Config> config = variant->parse_config(fields.value());
  if (!config.ok()) return config.status();
  return Contender{variant, std::move(config).value()};
}

Result<std::vector<Contender>> known_choices(const Problem& problem, const Candidate& target,
                                             const TuningDb& db) {
  std::vector<Contender> known;
  for (const PlanOptions& options : {PlanOptions(), repeatable()}) {
    const Result<Contender> chosen = choice(problem, target, db, options);
    if (!chosen.ok()) return chosen.status();
    known.push_back(chosen.value());
  }
  return known;
}

Result<SearchSpace> make_search_space(const Problem& problem, const Candidate& target,
                                      const std::vector<Contender>& known, std::uint64_t seed) {
  const TuningDb nothing;
  const Result<Contender> standard = choice(problem, target, nothing, PlanOptions());
  if (!standard.ok()) return standard.status();
  const Result<Contender> repeatable_standard = choice(problem, target, nothing, repeatable());
  if (!repeatable_standard.ok()) return repeatable_standard.status();

  SearchSpace space;
  ContenderList list;
  space.default_index = list.add(standard.value());
  space.deterministic_default_index = list.add(repeatable_standard.value());
  for (const Contender& contender : known) list.add(contender);

  std::mt19937_64 random(seed);
  std::vector<Ranked> all;
  std::vector<std::vector<Contender>> of_strategies;
  for (const KernelVariant* variant : target.backend->variants()) {
    if (!variant->supports(problem, *target.device).ok) continue;
    Config standard = variant->default_config(problem, *target.device);
    if (!standard.has_value()) continue;
    list.add({variant, std::move(standard)});
    std::vector<Ranked> of_strategy = ranked(*variant, problem, *target.device);
    std::shuffle(of_strategy.begin(), of_strategy.end(), random);
    all.insert(all.end(), of_strategy.begin(), of_strategy.end());
    of_strategies.push_back(by_estimate(std::move(of_strategy)));
  }
  const std::vector<Contender> best_first = by_estimate(std::move(all));
  const std::vector<Contender> in_turn = by_turns(of_strategies);
  // Together they hold each candidate twice.
  for (std::size_t best = 0, next = 0; best < best_first.size() || next < in_turn.size();) {
    list.add_new(best_first, best, likely_best);
    list.add_new(in_turn, next, 1);
  }
  space.contenders = std::move(list).take();
  return space;
}

}  // namespace fastnorm::tuner
