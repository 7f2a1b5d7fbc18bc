// SPDX-License-Identifier: Apache-2.0
#include "tuner/tuning_cost.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

namespace fastnorm::tuner {
namespace {

/// Enough for a mean, few enough to be near.
constexpr std::size_t most_shapes = 12;

/// A tuned shape, and how near it is to the problem; better ones first, and of two for the same
/// calls the faster one.
struct Evidence {
  const TuningEntry* entry = nullptr;
  bool other_kind = false;  ///< Another operation, type or layout, or other tensors.
  double distance = 0;      ///< |log2 of the rows' ratio| + |log2 of the row lengths'|.

  friend bool operator<(const Evidence& a, const Evidence& b) {
    return std::tie(a.other_kind, a.distance, a.entry->stats.median_us) <
           std::tie(b.other_kind, b.distance, b.entry->stats.median_us);
  }
};

bool same_kind(const TuningKey& a, const TuningKey& b) {
  return a.op == b.op && a.x_type == b.x_type && a.y_type == b.y_type && a.layout == b.layout &&
         (a.epilogue.residual == Residual::none) == (b.epilogue.residual == Residual::none) &&
         a.epilogue.modulation == b.epilogue.modulation;
}

double distance(const TuningShape& a, const TuningShape& b) {
  const auto apart = [](double u, double v) { return std::abs(std::log2(u / v)); };
  const auto rows = [](const TuningShape& shape) {
    return static_cast<double>(shape.n) * static_cast<double>(shape.groups);
  };
  const auto length = [](const TuningShape& shape) {
    return static_cast<double>(shape.c / shape.groups) * static_cast<double>(shape.inner);
  };
  return apart(rows(a), rows(b)) + apart(length(a), length(b));
}

/// Whether both were measured for the same calls, of which one may have to repeat bit for bit.
bool same_calls(const TuningEntry& a, const TuningEntry& b) {
  TuningKey key = a.key;
  key.deterministic = b.key.deterministic;
  return key == b.key && a.shape == b.shape;
}

/// The entries of the back end on devices that match the given one so well, the nearest first.
std::vector<Evidence> collect(const TuningQuery& query, const TuningDb& db, DeviceMatch wanted) {
  const DeviceKey device = DeviceKey::of(*query.device);
  std::vector<Evidence> evidence;
  for (const TuningFile& file : db.files()) {
    if (match(file.device, device) != wanted) continue;
    for (const TuningEntry& entry : file.entries) {
      if (entry.key.backend != query.key.backend || entry.stats.default_us <= 0) continue;
      evidence.push_back(
          {&entry, !same_kind(entry.key, query.key), distance(entry.shape, query.shape)});
    }
  }
  std::sort(evidence.begin(), evidence.end());
  return evidence;
}

/// The first of the list, without a second entry for the same calls.
std::vector<Evidence> nearest_of(const std::vector<Evidence>& evidence) {
  std::vector<Evidence> nearest;
  for (const Evidence& one : evidence) {
    if (nearest.size() == most_shapes) break;
    const auto is_twin = [&](const Evidence& other) {
      return same_calls(*other.entry, *one.entry);
    };
    if (std::none_of(nearest.begin(), nearest.end(), is_twin)) nearest.push_back(one);
  }
  return nearest;
}

/// Whether the entries of other shapes lead to the winner of this one.
bool others_lead_to(const TuningEntry& winner, const DeviceInfo& device, const TuningDb& db) {
  TuningQuery query{winner.key, winner.shape, &device};
  query.key.deterministic = false;
  for (const TuningMatch& match : db.lookup(query)) {
    if (same_calls(*match.entry, winner)) continue;
    return match.entry->strategy == winner.strategy && match.entry->config == winner.config;
  }
  return false;
}

CostModel model_for(Origin origin) {
  return origin == Origin::heuristic ? CostModel::builtin_choice : CostModel::others_entries;
}

}  // namespace

std::optional<TuningCost> cost_of_not_tuning(const Problem& problem, const Selection& selection,
                                             const TuningDb& db) {
  if (selection.origin == Origin::forced || selection.origin == Origin::exact) return std::nullopt;
  if (problem.empty()) return std::nullopt;
  const DeviceInfo& device = *selection.candidate.device;
  const TuningQuery query = TuningQuery::of(problem, selection.candidate.backend->name(), device);
  TuningCost cost;
  cost.model = model_for(selection.origin);
  std::vector<Evidence> evidence;
  for (const DeviceMatch wanted : {DeviceMatch::exact, DeviceMatch::same_arch}) {
    if (!evidence.empty()) break;
    evidence = nearest_of(collect(query, db, wanted));
    cost.device = wanted;
  }
  if (evidence.empty()) return std::nullopt;
  double logarithms = 0;
  for (const Evidence& one : evidence) {
    const bool has_its_winner =
        cost.model == CostModel::others_entries && others_lead_to(*one.entry, device, db);
    const TuningStats& stats = one.entry->stats;
    const double times = has_its_winner ? 1.0 : std::max(1.0, stats.default_us / stats.median_us);
    cost.lose_nothing += times == 1.0 ? 1 : 0;
    cost.worst = std::max(cost.worst, times);
    logarithms += std::log(times);
  }
  cost.shapes = evidence.size();
  cost.typical = std::exp(logarithms / static_cast<double>(evidence.size()));
  return cost;
}

}  // namespace fastnorm::tuner
