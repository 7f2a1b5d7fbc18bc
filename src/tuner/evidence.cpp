// SPDX-License-Identifier: Apache-2.0
#include "tuner/evidence.hpp"

#include "measure/samples.hpp"
#include "tuner/strategy_problem.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
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

/// The larger, the better. The last two so that the order of the files never decides.
auto weight(const TuningEntry& entry) {
  const TuningStats& stats = entry.stats;
  return std::tuple(stats.samples, -stats.mad_us / stats.median_us, -stats.median_us,
                    entry.strategy, to_string(entry.config));
}

using Iterator = std::vector<TuningEntry>::iterator;

/// The end of those that are acceptable, or of all where none is.
template <class Acceptable>
Iterator end_of(Iterator first, Iterator last, const Acceptable& acceptable) {
  const Iterator end = std::partition(first, last, acceptable);
  return end == first ? last : end;
}

/// Where there are entries that this library can use, the others would leave their calls without
/// one. Where there are undisturbed ones, the others are no evidence.
Iterator end_of_evidence(Iterator first, Iterator last) {
  last =
      end_of(first, last, [](const TuningEntry& entry) { return strategy_problem(entry).empty(); });
  return end_of(first, last,
                [](const TuningEntry& entry) { return entry.stats.disturbed_by.empty(); });
}

Iterator best_of(Iterator first, Iterator last) {
  const bool copies_known =
      std::all_of(first, last, [](const TuningEntry& entry) { return entry.stats.copy_us > 0; });
  const Unit unit = copies_known ? Unit::copies : Unit::microseconds;
  const auto figure = [unit](const TuningEntry& entry) { return figure_of(entry.stats, unit); };
  const Iterator fastest =
      std::min_element(first, last, [&](const TuningEntry& a, const TuningEntry& b) {
        return figure(a).value < figure(b).value;
      });
  Iterator best = fastest;
  for (Iterator rival = first; rival != last; ++rival) {
    const bool eligible = as_fast(figure(*fastest), figure(*rival));
    if (eligible && weight(*rival) > weight(*best)) best = rival;
  }
  return best;
}

}  // namespace

std::vector<TuningEntry> join_by_evidence(std::vector<TuningEntry> entries) {
  std::sort(entries.begin(), entries.end(), sorts_before);
  std::vector<TuningEntry> joined;
  for (Iterator first = entries.begin(); first != entries.end();) {
    const Iterator last = std::upper_bound(first, entries.end(), *first, sorts_before);
    joined.push_back(*best_of(first, end_of_evidence(first, last)));
    first = last;
  }
  return joined;
}

}  // namespace fastnorm::tuner
