// SPDX-License-Identifier: Apache-2.0
#include "tuner/explanation.hpp"

#include "core/quoted.hpp"
#include "core/tuning_text.hpp"

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>

namespace fastnorm::tuner {
namespace {

[[gnu::format(printf, 1, 2)]] std::string format(const char* form, ...) {
  std::array<char, 256> text;
  std::va_list values;
  va_start(values, form);
  std::vsnprintf(text.data(), text.size(), form, values);
  va_end(values);
  return text.data();
}

/// The entry that the selection comes from.
std::optional<TuningMatch> source_of(const Selection& selection,
                                     const std::vector<TuningMatch>& matches) {
  for (const TuningMatch& match : matches) {
    if (origin_of(match.quality) == selection.origin &&
        match.entry->strategy == selection.variant->name() &&
        match.entry->config == selection.config.fields()) {
      return match;
    }
  }
  return std::nullopt;
}

double rows(const TuningShape& shape) {
  return static_cast<double>(shape.n) * static_cast<double>(shape.groups);
}

double row_length(const TuningShape& shape) {
  return static_cast<double>(shape.c / shape.groups) * static_cast<double>(shape.inner);
}

/// In what the entry is another problem than the one asked for.
std::string difference(const TuningEntry& entry, const Problem& problem) {
  const TuningShape wanted = TuningShape::of(problem);
  const TuningShape& shape = entry.shape;
  const EpilogueKey epilogue = EpilogueKey::of(problem.desc());
  std::string text;
  const auto add = [&text](const std::string& more) { text += (text.empty() ? "" : ", ") + more; };
  if (!(shape == wanted)) {
    const bool same_sample =
        shape.c == wanted.c && shape.groups == wanted.groups && shape.inner == wanted.inner;
    add(same_sample ? format("n=%lld instead of %lld", static_cast<long long>(shape.n),
                             static_cast<long long>(wanted.n))
                    : format("%.2f times as many rows, %.2f times as long",
                             rows(shape) / rows(wanted), row_length(shape) / row_length(wanted)));
  }
  if (!(entry.key.epilogue == epilogue)) {
    add("epilogue " + to_string(entry.key.epilogue) + " instead of " + to_string(epilogue));
  }
  return text;
}

/// What was measured with it.
std::string measured(const TuningMatch& match, const Provenance& here) {
  const TuningStats& stats = match.entry->stats;
  std::string text = format("%.1f us", stats.median_us);
  if (stats.default_us > 0) {
    text += format(", %.2f times the built-in choice's speed", stats.default_us / stats.median_us);
  }
  if (stats.copy_us > 0) text += format(", %.2f of copy speed", stats.copy_us / stats.median_us);
  if (!stats.disturbed_by.empty()) text += ", disturbed by " + to_string(stats.disturbed_by);
  const Provenance& then = match.entry->provenance;
  if (!then.utc.empty()) text += " (" + shortened(then.utc) + ")";
  const std::string difference = software_difference(then, here);
  return difference.empty() ? text : text + ", with " + difference;
}

std::string entry_words(const TuningMatch& match, const Problem& problem, const Provenance& here) {
  std::string text = to_string(match.entry->shape) + " in " + match.file->source;
  if (match.quality == MatchQuality::same_arch) text += " on " + shortened(match.file->device_name);
  const std::string other = difference(*match.entry, problem);
  if (!other.empty()) text += ": " + other;
  return text + "; measured there: " + measured(match, here);
}

/// Whether any file is for the device, whatever its entries.
bool has_file_for(const TuningDb& db, const DeviceInfo& device) {
  return std::any_of(db.files().begin(), db.files().end(), [&](const TuningFile& file) {
    return match(file.device, DeviceKey::of(device)) == DeviceMatch::exact;
  });
}

std::string nothing_words(Origin origin, const TuningDb& db, const DeviceInfo& device) {
  switch (origin) {
    case Origin::exact:
      return has_file_for(db, device) ? "this shape has not been tuned on this device"
                                      : "nothing has been tuned on this device";
    case Origin::bucket:
      return "nor has it with half to twice the batch, or with another activation";
    case Origin::nearest:
      return "nor has a similar shape: rows and row length within a factor of two in all, and as "
             "much of it in the caches";
    case Origin::same_arch:
      return "nor has any of these on another device of this architecture";
    case Origin::forced:
    case Origin::heuristic:
      break;
  }
  return "";
}

std::string passed_over_words(const Selection& selection, Origin origin) {
  std::string text;
  for (const PassedOver& one : selection.passed_over) {
    if (!one.entry || origin_of(*one.entry) != origin) continue;
    text += (text.empty() ? "" : "; ") + one.reason;
  }
  return text;
}

std::string choice_words(const Selection& selection) {
  return std::string(selection.variant->name()) + " " + selection.config.text();
}

/// What the library would choose by itself.
std::string builtin_words(const Problem& problem, const Selection& selection, const TuningDb& db) {
  if (selection.origin == Origin::heuristic) {
    return "the library's own choice: the smallest estimate of the strategies' defaults";
  }
  PlanOptions options;
  options.tuning = Tuning::heuristic;
  const Result<Selection> builtin = choose(problem, {selection.candidate}, db, options);
  return builtin.ok() ? "would be " + choice_words(builtin.value()) : builtin.status().message();
}

ExplainedStep explain_step(Origin origin, const Problem& problem, const Selection& selection,
                           const Explanation& so_far, const TuningDb& db, const Provenance& here) {
  ExplainedStep step;
  step.origin = origin;
  if (origin == Origin::heuristic) {
    step.outcome = selection.origin == origin ? Outcome::taken : Outcome::not_needed;
    step.words = builtin_words(problem, selection, db);
  } else if (selection.origin == origin) {
    step.outcome = Outcome::taken;
    step.words = so_far.entry ? entry_words(*so_far.entry, problem, here) : selection.reason;
  } else if (selection.origin < origin) {
    step.outcome = Outcome::not_needed;
  } else {
    step.words = passed_over_words(selection, origin);
    step.outcome = step.words.empty() ? Outcome::nothing : Outcome::passed_over;
    if (step.words.empty()) step.words = nothing_words(origin, db, *selection.candidate.device);
  }
  return step;
}

std::string percent(double times) { return format("%.1f%%", 100 * (times - 1)); }

/// What so many of the nearest shapes do that do not run as fast without their entries.
std::string losers_words(CostModel model, std::size_t losers) {
  switch (model) {
    case CostModel::builtin_choice:
      return "would lose";
    case CostModel::others_entries:
      return losers == 1 ? "would not run its own winner, and is taken to lose"
                         : "would not run their own winners, and are taken to lose";
  }
  return "";
}

std::string shapes_words(const TuningCost& cost) {
  const std::size_t losers = cost.shapes - cost.lose_nothing;
  if (cost.shapes == 1) {
    return losers == 0 ? "the nearest shape tuned would run as fast without its entry"
                       : "the nearest shape tuned " + losers_words(cost.model, losers);
  }
  if (losers == 0) {
    return format("each of the %zu nearest shapes tuned would run as fast without its entry",
                  cost.shapes);
  }
  return format("of the %zu nearest shapes tuned, %zu would run as fast without %s; the %s ",
                cost.shapes, cost.lose_nothing,
                cost.lose_nothing == 1 ? "its entry" : "their entries",
                losers == 1 ? "other" : "others") +
         losers_words(cost.model, losers);
}

std::string cost_words(Origin origin, const std::optional<TuningCost>& cost) {
  if (origin == Origin::exact) return "nothing: this shape is tuned";
  if (origin == Origin::forced) return "not known: the choice is forced";
  if (!cost) {
    return "not known: nothing has been tuned for this back end on a device of this architecture";
  }
  std::string text;
  if (cost->lose_nothing == cost->shapes) {
    text = "nothing that is known: " + shapes_words(*cost);
  } else {
    text = "about " + percent(cost->typical) + ", at most " + percent(cost->worst) + ": " +
           shapes_words(*cost) + " what the library's own choice does";
  }
  if (cost->device == DeviceMatch::same_arch) text += " (on another device of this architecture)";
  return text;
}

}  // namespace

const char* to_string(Outcome outcome) noexcept {
  switch (outcome) {
    case Outcome::nothing:
      return "nothing";
    case Outcome::passed_over:
      return "passed_over";
    case Outcome::taken:
      return "taken";
    case Outcome::not_needed:
      return "not_needed";
  }
  return "unknown outcome";
}

Explanation explain_selection(const Problem& problem, const Selection& selection,
                              const TuningDb& db, const Provenance& here) {
  Explanation explanation;
  const Candidate& candidate = selection.candidate;
  explanation.entry = source_of(
      selection, db.lookup(TuningQuery::of(problem, candidate.backend->name(), *candidate.device)));
  for (const Origin origin :
       {Origin::exact, Origin::bucket, Origin::nearest, Origin::same_arch, Origin::heuristic}) {
    explanation.steps.push_back(explain_step(origin, problem, selection, explanation, db, here));
  }
  explanation.cost = cost_of_not_tuning(problem, selection, db);
  explanation.cost_words = cost_words(selection.origin, explanation.cost);
  return explanation;
}

}  // namespace fastnorm::tuner
