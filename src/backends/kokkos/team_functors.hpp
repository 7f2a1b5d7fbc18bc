// SPDX-License-Identifier: Apache-2.0
/// The kernels of the team strategies, over any Kokkos space.
#pragma once

#include "backends/kokkos/parts.hpp"
#include "backends/kokkos/team_kernels.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>

namespace fastnorm::kokkos {

/// The largest team; the bound leaves each of its threads the registers that two teams on a
/// processor can have.
inline constexpr int max_team_size = 512;

template <class Space>
using TeamPolicy = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<max_team_size, 2>>;

/// A league's size is an int: teams take several items where there are more.
inline int league_size(std::int64_t items) {
  return static_cast<int>(std::min<std::int64_t>(items, std::int64_t{1} << 24));
}

/// A row of elements of type T by one team, which reads it twice. In place is safe: the reduction
/// ends when all have read.
template <class Space, class T, int Width>
struct TeamRow {
  using Team = typename TeamPolicy<Space>::member_type;

  Normalization call;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    for (std::int64_t row = team.league_rank(); row < call.rows; row += team.league_size()) {
      const Moments moments = team_moments<T, Width>(team, call, row, 0, call.row_len);
      const auto standardizer = Standardizer<Accumulator<T>>::of(moments, call.eps);
      if (team.team_rank() == 0) store_statistics(call, row, standardizer, moments);
      team_apply<T, Width>(team, call, standardizer, row, 0, call.row_len);
    }
  }
};

/// First step of a split: the moments of each part, one writer each.
template <class Space, class T, int Width>
struct TeamReducePart {
  using Team = typename TeamPolicy<Space>::member_type;

  Normalization call;
  Parts parts;
  Moments* partials;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const std::int64_t tasks = call.rows * parts.per_row;
    for (std::int64_t task = team.league_rank(); task < tasks; task += team.league_size()) {
      const std::int64_t row = task / parts.per_row;
      const std::int64_t part = task % parts.per_row;
      const Moments moments =
          team_moments<T, Width>(team, call, row, parts.begin(part), parts.end(part));
      if (team.team_rank() == 0) partials[task] = moments;
    }
  }
};

/// Second step: every team merges its row's partials again, in order.
template <class Space, class T, int Width>
struct TeamApplyPart {
  using Team = typename TeamPolicy<Space>::member_type;

  Normalization call;
  Parts parts;
  const Moments* partials;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const std::int64_t tasks = call.rows * parts.per_row;
    for (std::int64_t task = team.league_rank(); task < tasks; task += team.league_size()) {
      const std::int64_t row = task / parts.per_row;
      const std::int64_t part = task % parts.per_row;
      const Moments moments = merge_row(partials, parts, row);
      const auto standardizer = Standardizer<Accumulator<T>>::of(moments, call.eps);
      if (part == 0 && team.team_rank() == 0) store_statistics(call, row, standardizer, moments);
      team_apply<T, Width>(team, call, standardizer, row, parts.begin(part), parts.end(part));
    }
  }
};

}  // namespace fastnorm::kokkos
