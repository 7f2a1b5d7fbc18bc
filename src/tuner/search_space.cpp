// SPDX-License-Identifier: Apache-2.0
#include "tuner/search_space.hpp"

#include "core/quoted.hpp"

#include <algorithm>
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

  std::size_t size() const { return contenders_.size(); }
  std::vector<Contender> take() && { return std::move(contenders_); }

 private:
  std::vector<Contender> contenders_;
  std::unordered_map<std::string, std::size_t> positions_;
};

struct Ranked {
  double estimate_us;
  Contender contender;
};

}  // namespace

std::string Contender::text() const { return std::string(variant->name()) + " " + config.text(); }

Result<Contender> Contender::parse(std::string_view text, const Backend& backend) {
  const std::size_t space = std::min(text.find(' '), text.size());
  const KernelVariant* variant = find_variant(backend, text.substr(0, space));
  if (variant == nullptr) {
    return Status(StatusCode::invalid_argument,
                  in_quotes(text) + " names no strategy of " + std::string(backend.name()));
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
                                      const std::vector<Contender>& known) {
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

  std::vector<Ranked> all;
  for (const KernelVariant* variant : target.backend->variants()) {
    if (!variant->supports(problem, *target.device).ok) continue;
    Config own_standard = variant->default_config(problem, *target.device);
    if (!own_standard.has_value()) continue;
    list.add({variant, std::move(own_standard)});
    for (Config& config : variant->configs(problem, *target.device)) {
      const double estimate_us = variant->estimate_us(problem, *target.device, config);
      all.push_back({estimate_us, {variant, std::move(config)}});
    }
  }
  space.proposed = list.size();
  std::stable_sort(all.begin(), all.end(),
                   [](const Ranked& a, const Ranked& b) { return a.estimate_us < b.estimate_us; });
  for (const Ranked& one : all) list.add(one.contender);
  space.contenders = std::move(list).take();
  for (const auto& [variant, config] : space.contenders) {
    space.estimates_us.push_back(variant->estimate_us(problem, *target.device, config));
  }
  return space;
}

}  // namespace fastnorm::tuner
