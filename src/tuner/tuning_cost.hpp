// SPDX-License-Identifier: Apache-2.0
/// What it costs not to tune a shape, as far as the databases tell.
#pragma once

#include "core/dispatcher.hpp"
#include "core/problem.hpp"
#include "core/tuning_db.hpp"

#include <cstddef>
#include <optional>

namespace fastnorm::tuner {

/// How the evidence was made into times.
enum class CostModel {
  builtin_choice,  ///< What the library's own choice loses to the winners of tuned shapes.
  /// What tuned shapes would lose if each had to do with the entries of the others. Where those
  /// lead to its own winner that is nothing; else what the library's own choice loses stands in for
  /// what nobody has measured.
  others_entries,
};

/// Times as multiples of the tuned ones.
struct TuningCost {
  CostModel model = CostModel::builtin_choice;
  double typical = 1;                      ///< Geometric mean.
  double worst = 1;                        ///< Largest.
  std::size_t shapes = 0;                  ///< How many tuned shapes it is from: the nearest ones.
  std::size_t lose_nothing = 0;            ///< Those of them whose time would be the tuned one.
  DeviceMatch device = DeviceMatch::none;  ///< Where they were tuned.
};

/// For a problem that was served in the way of `selection`. None where nothing has been tuned for
/// that back end on a device of the architecture, and where the selection is forced or exact.
std::optional<TuningCost> cost_of_not_tuning(const Problem& problem, const Selection& selection,
                                             const TuningDb& db);

}  // namespace fastnorm::tuner
