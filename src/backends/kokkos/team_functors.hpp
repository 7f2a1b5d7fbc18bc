// SPDX-License-Identifier: Apache-2.0
/// The kernels of the team strategies, over any Kokkos space. `Passes` is DensePasses or
/// StridedPasses.
#pragma once

#include "backends/kokkos/parts.hpp"
#include "backends/kokkos/standardizer.hpp"
#include "backends/kokkos/team_runs.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>

namespace fastnorm::kokkos {

/// The most threads of a team, lanes counted; the bound leaves each of them the registers that two
/// such teams on a processor can have.
inline constexpr int max_team_threads = 512;
inline constexpr int teams_of_max_threads = 2;

/// Functors are copied with the launch. Kokkos would pass larger ones through a buffer in the
/// device's memory, which is written again by the next launch: not what a captured graph may read.
template <class Space>
using TeamPolicy =
    Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<max_team_threads, teams_of_max_threads>,
                       Kokkos::Experimental::WorkItemProperty::HintLightWeight_t>;

/// A league's size is an int: teams take several items where there are more.
inline int league_size(std::int64_t items) {
  return static_cast<int>(std::min<std::int64_t>(items, std::int64_t{1} << 24));
}

namespace team_functors_detail {

/// A row by a crew, which reads it twice. In place is safe: the reduction ends when all have read.
template <class Passes, class Crew>
KOKKOS_FUNCTION void normalise_row(const Crew& crew, const Normalization& call, std::int64_t row) {
  const Moments moments = Passes::moments(crew, call, row, 0, call.row_len);
  const auto standardizer = Standardizer<typename Passes::Acc>::of(moments, call.eps);
  crew.once([&] { store_statistics(call, row, standardizer, moments); });
  Passes::apply(crew, call, LineStandardizer(standardizer), row, 0, call.row_len);
}

}  // namespace team_functors_detail

/// A row by one team.
template <class Space, class Passes>
struct TeamRow {
  using Team = typename TeamPolicy<Space>::member_type;

  Normalization call;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const WholeTeam<Team> crew(team);
    for (std::int64_t row = team.league_rank(); row < call.rows; row += team.league_size()) {
      team_functors_detail::normalise_row<Passes>(crew, call, row);
    }
  }
};

/// A row by the lanes of one thread of a team.
template <class Space, class Passes>
struct LanesRow {
  using Team = typename TeamPolicy<Space>::member_type;

  Normalization call;
  int lanes;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const LanesOfThread<Team> crew(team, lanes);
    const std::int64_t threads = std::int64_t{team.league_size()} * team.team_size();
    std::int64_t row = std::int64_t{team.league_rank()} * team.team_size() + team.team_rank();
    for (; row < call.rows; row += threads) {
      team_functors_detail::normalise_row<Passes>(crew, call, row);
    }
  }
};

/// A part of a row is a task. The same part of each row comes before the next: where rows share
/// gamma and beta, all of them find what the first has loaded.
struct PartTasks {
  const Normalization& call;
  const Parts& parts;

  KOKKOS_INLINE_FUNCTION std::int64_t count() const { return call.rows * parts.per_row; }
  KOKKOS_INLINE_FUNCTION std::int64_t part(std::int64_t task) const {
    return call.by.rows.quotient(task);
  }
  KOKKOS_INLINE_FUNCTION std::int64_t row(std::int64_t task) const {
    return call.by.rows.remainder(task);
  }
};

/// First step of a split: the moments of each part, one writer each.
template <class Space, class Passes>
struct TeamReducePart {
  using Team = typename TeamPolicy<Space>::member_type;

  Normalization call;
  Parts parts;
  Moments* partials;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const WholeTeam<Team> crew(team);
    const PartTasks tasks{call, parts};
    for (std::int64_t task = team.league_rank(); task < tasks.count(); task += team.league_size()) {
      const std::int64_t row = tasks.row(task);
      const std::int64_t part = tasks.part(task);
      const Moments moments = Passes::moments(crew, call, row, parts.begin(part), parts.end(part));
      crew.once([&] { partials[row * parts.per_row + part] = moments; });
    }
  }
};

/// Second step: every team merges its row's partials again, in the same order. Parts that were read
/// last are the first to be read again, and may be found in the cache.
template <class Space, class Passes>
struct TeamApplyPart {
  using Team = typename TeamPolicy<Space>::member_type;

  Normalization call;
  Parts parts;
  const Moments* partials;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const WholeTeam<Team> crew(team);
    const PartTasks tasks{call, parts};
    std::int64_t task = tasks.count() - 1 - team.league_rank();
    for (; task >= 0; task -= team.league_size()) {
      const std::int64_t row = tasks.row(task);
      const std::int64_t part = tasks.part(task);
      const Moments moments = merged_partials(crew, row);
      const auto standardizer = Standardizer<typename Passes::Acc>::of(moments, call.eps);
      if (part == 0) crew.once([&] { store_statistics(call, row, standardizer, moments); });
      Passes::apply(crew, call, LineStandardizer(standardizer), row, parts.begin(part),
                    parts.end(part));
    }
  }

 private:
  KOKKOS_FUNCTION Moments merged_partials(const WholeTeam<Team>& crew, std::int64_t row) const {
    const Moments* of_row = partials + row * parts.per_row;
    const int threads = crew.threads();
    return crew.merged([&](int rank, Moments& mine) {
      for (std::int64_t i = rank; i < parts.per_row; i += threads) merge(mine, of_row[i]);
    });
  }
};

}  // namespace fastnorm::kokkos
