// SPDX-License-Identifier: Apache-2.0
#include "tuner/evidence.hpp"

#include "measure/samples.hpp"
#include "tuner/strategy_problem.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

namespace fastnorm::tuner {
namespace {

/// The same run measured twice differs by as much.
constexpr double least_difference = 0.005;

/// A median with its standard error, in one unit.
struct Figure {
  double value;
  double error;
};

enum class Unit { microseconds, copies };

Figure figure_of(const TuningStats& stats, Unit unit) {
  const double scale = unit == Unit::copies ? 1 / stats.copy_us : 1;
  const double error = measure::standard_error_us(stats.mad_us, stats.samples);
  return {scale * stats.median_us, scale * error};
}

bool as_fast(const Figure& fastest, const Figure& other) {
  const double noise = 2 * std::hypot(fastest.error, other.error);
  return other.value - fastest.value <= std::max(noise, least_difference * fastest.value);
}

/// The larger, the better. The last ones so that the order of the files never decides.
auto weight(const TuningEntry& entry) {
  const TuningStats& stats = entry.stats;
  return std::tuple(entry.key.deterministic, stats.samples, -stats.mad_us / stats.median_us,
                    -stats.median_us, entry.strategy, to_string(entry.config), entry.provenance);
}

using Entries = std::vector<const TuningEntry*>;
using Iterator = Entries::iterator;

/// The end of those that are acceptable, or of all where none is.
template <class Acceptable>
Iterator end_of(Iterator first, Iterator last, const Acceptable& acceptable) {
  const Iterator end = std::partition(first, last, acceptable);
  return end == first ? last : end;
}

/// Where there are entries that this library can use, the others would leave their calls without
/// one. Where there are undisturbed ones, the others are no evidence.
Iterator end_of_evidence(Iterator first, Iterator last, const DeviceKey& device) {
  last = end_of(first, last, [&device](const TuningEntry* entry) {
    return problem_on_device(*entry, device).empty();
  });
  return end_of(first, last,
                [](const TuningEntry* entry) { return entry->stats.disturbed_by.empty(); });
}

/// Of one entry or more.
const TuningEntry* best_of(Entries entries, const DeviceKey& device) {
  const Iterator first = entries.begin();
  const Iterator last = end_of_evidence(first, entries.end(), device);
  const bool copies_known =
      std::all_of(first, last, [](const TuningEntry* entry) { return entry->stats.copy_us > 0; });
  const Unit unit = copies_known ? Unit::copies : Unit::microseconds;
  const auto figure = [unit](const TuningEntry* entry) { return figure_of(entry->stats, unit); };
  const Iterator fastest =
      std::min_element(first, last, [&](const TuningEntry* a, const TuningEntry* b) {
        return figure(a).value < figure(b).value;
      });
  Iterator best = fastest;
  for (Iterator rival = first; rival != last; ++rival) {
    const bool eligible = as_fast(figure(*fastest), figure(*rival));
    if (eligible && weight(**rival) > weight(**best)) best = rival;
  }
  return *best;
}

/// What one run has stored for the same calls.
struct Pair {
  const TuningEntry* faster;      ///< Its choice, whose results do not repeat.
  const TuningEntry* repeatable;  ///< The best of those whose results do, which lost to it.
};

/// What all databases say of the same calls.
struct Rivals {
  Entries unrepeatable;
  Entries repeatable;  ///< Those whose results repeat bit for bit.
  std::vector<Pair> pairs;
};

/// What the runs that measured this one found to be faster than it.
Entries faster_than(const TuningEntry& repeatable, const std::vector<Pair>& pairs) {
  Entries faster;
  for (const Pair& pair : pairs) {
    if (weight(*pair.repeatable) == weight(repeatable)) faster.push_back(pair.faster);
  }
  return faster;
}

/// One or two. What is dropped has lost to one of them directly: with noise, being as fast does not
/// carry over from one rival to the next.
Entries believed(const Rivals& rivals, const DeviceKey& device) {
  if (rivals.repeatable.empty()) return {best_of(rivals.unrepeatable, device)};
  const TuningEntry* repeatable = best_of(rivals.repeatable, device);
  Entries choices = rivals.unrepeatable;
  choices.push_back(repeatable);
  const TuningEntry* choice = best_of(std::move(choices), device);
  if (choice != repeatable) return {choice, repeatable};
  // What was measured side by side says more than figures of several runs, or than a mark.
  Entries faster = faster_than(*repeatable, rivals.pairs);
  if (faster.empty()) return {repeatable};
  return {best_of(std::move(faster), device), repeatable};
}

/// Equal, by sorts_before(), for entries that serve the same calls.
TuningEntry calls_of(const TuningEntry& entry) {
  TuningEntry calls;
  calls.key = entry.key;
  calls.key.deterministic = false;
  calls.shape = entry.shape;
  return calls;
}

}  // namespace

std::vector<TuningEntry> join_by_evidence(const std::vector<std::vector<TuningEntry>>& databases,
                                          const DeviceKey& device) {
  std::map<TuningEntry, Rivals, decltype(&sorts_before)> calls(sorts_before);
  for (const std::vector<TuningEntry>& entries : databases) {
    std::map<TuningEntry, const TuningEntry*, decltype(&sorts_before)> choices(sorts_before);
    for (const TuningEntry& entry : entries) {
      if (entry.key.deterministic) continue;
      const TuningEntry same = calls_of(entry);
      calls[same].unrepeatable.push_back(&entry);
      choices.emplace(same, &entry);
    }
    for (const TuningEntry& entry : entries) {
      if (!entry.key.deterministic) continue;
      const TuningEntry same = calls_of(entry);
      Rivals& rivals = calls[same];
      rivals.repeatable.push_back(&entry);
      const auto choice = choices.find(same);
      if (choice != choices.end()) rivals.pairs.push_back({choice->second, &entry});
    }
  }
  std::vector<TuningEntry> joined;
  for (const auto& [same, rivals] : calls) {
    for (const TuningEntry* entry : believed(rivals, device)) joined.push_back(*entry);
  }
  std::sort(joined.begin(), joined.end(), sorts_before);
  return joined;
}

}  // namespace fastnorm::tuner
