// SPDX-License-Identifier: Apache-2.0
#include "core/dispatcher.hpp"

#include "core/log.hpp"
#include "core/number_text.hpp"
#include "core/quoted.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

namespace fastnorm {
namespace {

/// Adds one to a list of reasons.
void append(std::string& reasons, const std::string& reason) {
  reasons += (reasons.empty() ? "" : "; ") + reason;
}

std::string backend_names(const std::vector<const Backend*>& list) {
  std::string names;
  for (const Backend* backend : list) {
    names += (names.empty() ? "" : ", ") + std::string(backend->name());
  }
  return names.empty() ? "none" : names;
}

std::string variant_names(const std::vector<Candidate>& candidates) {
  std::string names;
  for (const Candidate& candidate : candidates) {
    for (const KernelVariant* variant : candidate.backend->variants()) {
      names += (names.empty() ? "" : ", ") + std::string(variant->name());
    }
  }
  return names;
}

/// The candidates that the forced back end's name leaves.
Result<std::vector<Candidate>> narrow(const std::vector<Candidate>& candidates,
                                      const std::string& wanted) {
  if (wanted.empty()) return candidates;
  std::vector<Candidate> left;
  for (const Candidate& candidate : candidates) {
    if (names_backend(wanted, *candidate.backend)) left.push_back(candidate);
  }
  if (!left.empty()) return left;
  if (Status status = check_backend_name(wanted); !status.ok()) return status;
  return Status(StatusCode::unsupported, "backend=" + in_quotes(wanted) + " does not work on " +
                                             to_string(candidates.front().backend->memory()) +
                                             " memory, which the call is for");
}

/// What a choice has to respect beside the problem.
struct Terms {
  const PlanOptions& options;
  const std::vector<Unprepared>& unprepared;
};

const Unprepared* find_unprepared(const KernelVariant& variant, const Terms& terms) {
  for (const Unprepared& one : terms.unprepared) {
    if (one.variant == &variant) return &one;
  }
  return nullptr;
}

Support admits(const KernelVariant& variant, const Problem& problem, const DeviceInfo& device,
               const Terms& terms) {
  if (terms.options.deterministic && !variant.deterministic()) {
    return Support::no("its results do not repeat bit for bit, and deterministic is set");
  }
  if (const Unprepared* one = find_unprepared(variant, terms)) return Support::no(one->reason);
  return variant.supports(problem, device);
}

bool may_launch(const KernelVariant& variant, const Config& config, const Terms& terms) {
  return terms.options.launches == Launches::all || !variant.needs_coresidency(config);
}

Support refused_launch() {
  return Support::no("its blocks wait for each other, and launches is independent_blocks");
}

/// The same for one configuration, of which nothing is known yet.
Support admits(const KernelVariant& variant, const Problem& problem, const DeviceInfo& device,
               const Config& config, const Terms& terms) {
  if (Support support = admits(variant, problem, device, terms); !support.ok) return support;
  if (!may_launch(variant, config, terms)) return refused_launch();
  return variant.supports(problem, device, config);
}

/// The strategy's default, or the best that it has besides where the caller excludes that one. Or
/// why the strategy is none to choose.
struct Default {
  Support support;
  Config config;
};

Default default_under(const KernelVariant& variant, const Problem& problem,
                      const DeviceInfo& device, const Terms& terms) {
  if (Support support = admits(variant, problem, device, terms); !support.ok) return {support, {}};
  Config standard = variant.default_config(problem, device);
  if (!standard.has_value()) {
    return {Support::no("none of " + std::string(variant.name()) + "'s configurations suits it"),
            {}};
  }
  if (may_launch(variant, standard, terms)) return {Support::yes(), std::move(standard)};
  Default best{refused_launch(), {}};
  double best_us = std::numeric_limits<double>::infinity();
  for (Config& config : variant.configs(problem, device)) {
    if (!may_launch(variant, config, terms)) continue;
    const double us = variant.estimate_us(problem, device, config);
    if (best.support.ok && !(us < best_us)) continue;
    best_us = us;
    best = {Support::yes(), std::move(config)};
  }
  return best;
}

Result<Selection> choose_forced(const Problem& problem, const std::vector<Candidate>& candidates,
                                const Terms& terms) {
  const PlanOptions& options = terms.options;
  for (const Candidate& candidate : candidates) {
    const KernelVariant* variant = find_variant(*candidate.backend, options.strategy);
    if (variant == nullptr) continue;
    const std::string what = "strategy=" + in_quotes(options.strategy);
    if (options.config.empty()) {
      Default standard = default_under(*variant, problem, *candidate.device, terms);
      if (!standard.support.ok) {
        return Status(StatusCode::unsupported,
                      what + " refuses " + problem.to_string() + ": " + standard.support.reason);
      }
      return Selection{candidate, variant, std::move(standard.config), Origin::forced,
                       "strategy named by the caller, its default configuration"};
    }
    const Result<ConfigFields> fields = parse_config_text(options.config);
    if (!fields.ok()) return fields.status();
    Result<Config> config = variant->parse_config(fields.value());
    if (!config.ok()) return config.status();
    const Support configured = admits(*variant, problem, *candidate.device, config.value(), terms);
    if (!configured.ok) {
      return Status(StatusCode::unsupported,
                    what + " with config=" + in_quotes(options.config, longest_name) + " refuses " +
                        problem.to_string() + ": " + configured.reason);
    }
    return Selection{candidate, variant, std::move(config).value(), Origin::forced,
                     "strategy and configuration named by the caller"};
  }
  return Status(StatusCode::invalid_argument,
                "strategy=" + in_quotes(options.strategy) +
                    " is unknown; allowed: " + variant_names(candidates));
}

/// A match turned into a selection of its strategy, or why it cannot be.
Result<Selection> adopt(const Problem& problem, const Candidate& candidate,
                        const TuningMatch& match, const KernelVariant* variant,
                        const Terms& terms) {
  const TuningEntry& entry = *match.entry;
  if (variant == nullptr) {
    return Status(StatusCode::unsupported, "strategy " + in_quotes(entry.strategy) + " is unknown");
  }
  Result<Config> config = variant->parse_config(entry.config);
  if (!config.ok()) return config.status();
  Support support = repeats_as_said(entry, *variant);
  if (support.ok) {
    support = admits(*variant, problem, *candidate.device, config.value(), terms);
  }
  if (!support.ok) return Status(StatusCode::unsupported, support.reason);
  return Selection{candidate, variant, std::move(config).value(), origin_of(match.quality),
                   std::string(to_string(match.quality)) + " entry of " + match.file->source};
}

/// What the heuristic would choose, and the time it expects.
struct Estimate {
  std::optional<Selection> selection;
  double us = std::numeric_limits<double>::infinity();
};

Estimate choose_by_estimate(const Problem& problem, const Candidate& candidate,
                            const Terms& terms) {
  Estimate best;
  for (const KernelVariant* variant : candidate.backend->variants()) {
    Default standard = default_under(*variant, problem, *candidate.device, terms);
    if (!standard.support.ok) continue;
    const double us = variant->estimate_us(problem, *candidate.device, standard.config);
    if (best.selection && !(us < best.us)) continue;
    best.us = us;
    best.selection = Selection{candidate, variant, std::move(standard.config), Origin::heuristic,
                               "smallest estimate of the strategies' defaults"};
  }
  return best;
}

/// The same, found when it is first asked for: a database mostly answers before.
class Heuristic {
 public:
  Heuristic(const Problem& problem, const Candidate& candidate, const Terms& terms)
      : problem_(problem), candidate_(candidate), terms_(terms) {}

  Estimate& estimate() {
    if (!estimate_) estimate_ = choose_by_estimate(problem_, candidate_, terms_);
    return *estimate_;
  }

 private:
  const Problem& problem_;
  const Candidate& candidate_;
  const Terms& terms_;
  std::optional<Estimate> estimate_;
};

/// How much longer than the heuristic's choice a configuration from another shape may be expected
/// to take: as much as the estimates err between configurations that do not differ much. It was
/// measured the fastest there, but where rows divide otherwise among the processors it may take
/// twice as long. (Each of 117 shapes left out of an H200's database in turn, against its own
/// winner: 2.6% slower, 12% at worst; with a limit of 1.1 it was 2.8%, 25% at worst. Of the 42 that
/// have others near: between 1 and 1.03 the limit makes no difference, and without neighbours it
/// is 0.1 to 0.2% more.)
constexpr double most_estimate_ratio = 1.03;

/// Whether what was measured on another shape suits this one, too. In a bucket the samples agree,
/// and with them all that a configuration is made for.
bool needs_an_estimate(MatchQuality quality) {
  return quality != MatchQuality::exact && quality != MatchQuality::bucket;
}

/// The first match that still holds. `passed_over` collects those that do not, apart from those of
/// the unprepared.
std::optional<Selection> choose_from_database(const Problem& problem, const Candidate& candidate,
                                              const TuningDb& db, const Terms& terms,
                                              Heuristic& heuristic,
                                              std::vector<PassedOver>& passed_over) {
  TuningQuery query = TuningQuery::of(problem, candidate.backend->name(), *candidate.device);
  query.key.deterministic = terms.options.deterministic;
  const auto refused_by_estimate = [&](const TuningMatch& match,
                                       const Selection& selection) -> Status {
    if (!needs_an_estimate(match.quality)) return {};
    const double ratio =
        selection.variant->estimate_us(problem, *candidate.device, selection.config) /
        heuristic.estimate().us;
    if (!(ratio > most_estimate_ratio)) return {};
    return Status(StatusCode::unsupported, "expected to take " +
                                               number_text(std::round(100 * ratio) / 100) +
                                               " times as long as the heuristic's choice");
  };
  for (const TuningMatch& match : db.lookup(query)) {
    const KernelVariant* variant = find_variant(*candidate.backend, match.entry->strategy);
    // The reason is known already.
    if (variant != nullptr && find_unprepared(*variant, terms) != nullptr) continue;
    Result<Selection> selection = adopt(problem, candidate, match, variant, terms);
    Status refusal = selection.status();
    if (selection.ok()) refusal = refused_by_estimate(match, selection.value());
    if (refusal.ok()) return std::move(selection).value();
    const std::string reason = match.file->source + ": " + shortened(match.entry->strategy) + " " +
                               shortened(to_string(match.entry->config), longest_name) + ": " +
                               refusal.message();
    log(LogLevel::info, "database entry passed over: " + reason);
    passed_over.push_back({match.quality, reason});
  }
  return std::nullopt;
}

}  // namespace

const char* to_string(Origin origin) noexcept {
  switch (origin) {
    case Origin::forced:
      return "forced";
    case Origin::exact:
      return "exact";
    case Origin::bucket:
      return "bucket";
    case Origin::nearest:
      return "nearest";
    case Origin::same_arch:
      return "same_arch";
    case Origin::heuristic:
      return "heuristic";
  }
  return "unknown origin";
}

Origin origin_of(MatchQuality quality) noexcept {
  switch (quality) {
    case MatchQuality::exact:
      return Origin::exact;
    case MatchQuality::bucket:
      return Origin::bucket;
    case MatchQuality::nearest:
      return Origin::nearest;
    case MatchQuality::same_arch:
      return Origin::same_arch;
  }
  return Origin::heuristic;
}

std::string refusals(const Problem& problem, const std::vector<Candidate>& candidates,
                     const PlanOptions& options, const std::vector<Unprepared>& unprepared) {
  const Terms terms{options, unprepared};
  std::vector<std::string> reasons;
  for (const Candidate& candidate : candidates) {
    for (const KernelVariant* variant : candidate.backend->variants()) {
      const Support support = default_under(*variant, problem, *candidate.device, terms).support;
      if (support.ok) return {};
      // Strategies of one back end mostly refuse for one reason.
      std::string reason = std::string(candidate.backend->name()) + ": " + support.reason;
      if (std::find(reasons.begin(), reasons.end(), reason) != reasons.end()) continue;
      reasons.push_back(std::move(reason));
    }
  }
  std::string text;
  for (const std::string& reason : reasons) append(text, reason);
  return text;
}

Support repeats_as_said(const TuningEntry& entry, const KernelVariant& variant) {
  if (variant.deterministic() == entry.key.deterministic) return Support::yes();
  return Support::no(
      "key says deterministic: " + std::string(entry.key.deterministic ? "true" : "false") +
      ", but " + std::string(variant.name()) + (variant.deterministic() ? " is" : " is not"));
}

Status unknown_backend(const std::string& wanted) {
  return Status(StatusCode::invalid_argument,
                "backend=" + in_quotes(wanted) +
                    " is not in this build; it has: " + backend_names(backends()));
}

Status check_backend_name(const std::string& wanted) {
  if (wanted.empty()) return {};
  for (const Backend* backend : backends()) {
    if (names_backend(wanted, *backend)) return {};
  }
  return unknown_backend(wanted);
}

Result<Selection> choose(const Problem& problem, const std::vector<Candidate>& candidates,
                         const TuningDb& db, const PlanOptions& options,
                         const std::vector<Unprepared>& unprepared) {
  Result<std::vector<Candidate>> narrowed = narrow(candidates, options.backend);
  if (!narrowed.ok()) return narrowed.status();
  const std::vector<Candidate>& left = narrowed.value();

  const Terms terms{options, unprepared};
  if (!options.strategy.empty()) return choose_forced(problem, left, terms);
  if (!options.config.empty()) {
    return Status(StatusCode::invalid_argument,
                  "config=" + in_quotes(options.config, longest_name) +
                      " needs a strategy that it belongs to");
  }

  std::vector<PassedOver> passed_over;
  for (const Unprepared& one : unprepared) {
    passed_over.push_back({std::nullopt, std::string(one.variant->name()) + ": " + one.reason});
  }
  const auto explained = [&passed_over](Selection selection) {
    std::string reasons;
    for (const PassedOver& one : passed_over) append(reasons, one.reason);
    if (!reasons.empty()) selection.reason += "; passed over: " + reasons;
    selection.passed_over = std::move(passed_over);
    return selection;
  };
  std::vector<Heuristic> heuristics;
  for (const Candidate& candidate : left) heuristics.emplace_back(problem, candidate, terms);
  if (options.tuning == Tuning::database) {
    for (std::size_t i = 0; i < left.size(); ++i) {
      std::optional<Selection> selection =
          choose_from_database(problem, left[i], db, terms, heuristics[i], passed_over);
      if (selection) return explained(*std::move(selection));
    }
  }
  for (Heuristic& heuristic : heuristics) {
    std::optional<Selection>& selection = heuristic.estimate().selection;
    if (selection) return explained(*std::move(selection));
  }
  return Status(StatusCode::unsupported, "no strategy supports " + problem.to_string() + ": " +
                                             refusals(problem, left, options, unprepared));
}

}  // namespace fastnorm
