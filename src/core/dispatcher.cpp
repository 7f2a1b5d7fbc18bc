#include "core/dispatcher.hpp"

#include "core/log.hpp"

#include <limits>
#include <optional>
#include <utility>

namespace fastnorm {
namespace {

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

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
  return Status(StatusCode::unsupported, "backend=" + quoted(wanted) + " does not work on " +
                                             to_string(candidates.front().backend->memory()) +
                                             " memory, which the call is for");
}

Support supports_under(const KernelVariant& variant, const Problem& problem,
                       const DeviceInfo& device, const PlanOptions& options) {
  if (options.deterministic && !variant.deterministic()) {
    return Support::no("its results do not repeat bit for bit, and deterministic is set");
  }
  return variant.supports(problem, device);
}

Result<Selection> choose_forced(const Problem& problem, const std::vector<Candidate>& candidates,
                                const PlanOptions& options) {
  for (const Candidate& candidate : candidates) {
    const KernelVariant* variant = find_variant(*candidate.backend, options.strategy);
    if (variant == nullptr) continue;
    const std::string what = "strategy=" + quoted(options.strategy);
    const Support support = supports_under(*variant, problem, *candidate.device, options);
    if (!support.ok) {
      return Status(StatusCode::unsupported,
                    what + " refuses " + problem.to_string() + ": " + support.reason);
    }
    if (options.config.empty()) {
      return Selection{candidate, variant, variant->default_config(problem, *candidate.device),
                       Origin::forced, "strategy named by the caller, its default configuration"};
    }
    const Result<ConfigFields> fields = parse_config_text(options.config);
    if (!fields.ok()) return fields.status();
    Result<Config> config = variant->parse_config(fields.value());
    if (!config.ok()) return config.status();
    const Support configured = variant->supports(problem, *candidate.device, config.value());
    if (!configured.ok) {
      return Status(StatusCode::unsupported, what + " with config=" + quoted(options.config) +
                                                 " refuses " + problem.to_string() + ": " +
                                                 configured.reason);
    }
    return Selection{candidate, variant, std::move(config).value(), Origin::forced,
                     "strategy and configuration named by the caller"};
  }
  return Status(StatusCode::invalid_argument,
                "strategy=" + quoted(options.strategy) +
                    " is unknown; allowed: " + variant_names(candidates));
}

Origin origin_of(MatchQuality quality) {
  switch (quality) {
    case MatchQuality::exact:
      return Origin::exact;
    case MatchQuality::nearest:
      return Origin::nearest;
    case MatchQuality::same_arch:
      return Origin::same_arch;
  }
  return Origin::heuristic;
}

/// A match turned into a selection, or why it cannot be.
Result<Selection> adopt(const Problem& problem, const Candidate& candidate,
                        const TuningMatch& match, const PlanOptions& options) {
  const TuningEntry& entry = *match.entry;
  const KernelVariant* variant = find_variant(*candidate.backend, entry.strategy);
  if (variant == nullptr) {
    return Status(StatusCode::unsupported, "strategy " + quoted(entry.strategy) + " is unknown");
  }
  Support support = supports_under(*variant, problem, *candidate.device, options);
  if (!support.ok) return Status(StatusCode::unsupported, support.reason);
  Result<Config> config = variant->parse_config(entry.config);
  if (!config.ok()) return config.status();
  support = variant->supports(problem, *candidate.device, config.value());
  if (!support.ok) return Status(StatusCode::unsupported, support.reason);
  return Selection{candidate, variant, std::move(config).value(), origin_of(match.quality),
                   std::string(to_string(match.quality)) + " entry of " + match.file->source};
}

/// The first match that still holds. `passed_over` collects the reasons of those that do not.
std::optional<Selection> choose_from_database(const Problem& problem, const Candidate& candidate,
                                              const TuningDb& db, const PlanOptions& options,
                                              std::string& passed_over) {
  TuningQuery query;
  query.backend = candidate.backend->name();
  query.problem = &problem;
  query.device = candidate.device;
  query.deterministic = options.deterministic;
  for (const TuningMatch& match : db.lookup(query)) {
    Result<Selection> selection = adopt(problem, candidate, match, options);
    if (selection.ok()) return std::move(selection).value();
    const std::string reason = match.file->source + ": " + match.entry->strategy + " " +
                               to_string(match.entry->config) + ": " + selection.status().message();
    passed_over += (passed_over.empty() ? "" : "; ") + reason;
    log(LogLevel::info, "database entry passed over: " + reason);
  }
  return std::nullopt;
}

std::optional<Selection> choose_by_estimate(const Problem& problem, const Candidate& candidate,
                                            const PlanOptions& options) {
  std::optional<Selection> best;
  double best_us = std::numeric_limits<double>::infinity();
  for (const KernelVariant* variant : candidate.backend->variants()) {
    if (!supports_under(*variant, problem, *candidate.device, options).ok) continue;
    Config config = variant->default_config(problem, *candidate.device);
    const double us = variant->estimate_us(problem, *candidate.device, config);
    if (best && !(us < best_us)) continue;
    best_us = us;
    best = Selection{candidate, variant, std::move(config), Origin::heuristic,
                     "smallest estimate of the strategies' defaults"};
  }
  return best;
}

}  // namespace

const char* to_string(Origin origin) noexcept {
  switch (origin) {
    case Origin::forced:
      return "forced";
    case Origin::exact:
      return "exact";
    case Origin::nearest:
      return "nearest";
    case Origin::same_arch:
      return "same_arch";
    case Origin::heuristic:
      return "heuristic";
  }
  return "unknown origin";
}

Status check_backend_name(const std::string& wanted) {
  if (wanted.empty()) return {};
  for (const Backend* backend : backends()) {
    if (names_backend(wanted, *backend)) return {};
  }
  return Status(
      StatusCode::invalid_argument,
      "backend=" + quoted(wanted) + " is not in this build; it has: " + backend_names(backends()));
}

Result<Selection> choose(const Problem& problem, const std::vector<Candidate>& candidates,
                         const TuningDb& db, const PlanOptions& options) {
  Result<std::vector<Candidate>> narrowed = narrow(candidates, options.backend);
  if (!narrowed.ok()) return narrowed.status();
  const std::vector<Candidate>& left = narrowed.value();

  if (!options.strategy.empty()) return choose_forced(problem, left, options);
  if (!options.config.empty()) {
    return Status(StatusCode::invalid_argument,
                  "config=" + quoted(options.config) + " needs a strategy that it belongs to");
  }

  std::string passed_over;
  if (options.tuning == Tuning::database) {
    for (const Candidate& candidate : left) {
      std::optional<Selection> selection =
          choose_from_database(problem, candidate, db, options, passed_over);
      if (selection) return *std::move(selection);
    }
  }
  for (const Candidate& candidate : left) {
    std::optional<Selection> selection = choose_by_estimate(problem, candidate, options);
    if (!selection) continue;
    if (!passed_over.empty()) selection->reason += "; passed over: " + passed_over;
    return *std::move(selection);
  }
  return Status(StatusCode::unsupported, "no strategy of " +
                                             std::string(left.front().backend->name()) +
                                             " supports " + problem.to_string());
}

}  // namespace fastnorm
