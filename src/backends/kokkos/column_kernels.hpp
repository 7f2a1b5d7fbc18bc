// SPDX-License-Identifier: Apache-2.0
/// The two passes over a matrix of positions by columns (channels-last tensors), by the teams of
/// any Kokkos space. Neighbouring threads have neighbouring columns, which are neighbours in memory
/// whatever the groups are.
#pragma once

#include "backends/kokkos/epilogue.hpp"
#include "backends/kokkos/pack.hpp"
#include "backends/kokkos/parts.hpp"
#include "backends/kokkos/row_input.hpp"
#include "backends/kokkos/standardizer.hpp"
#include "backends/kokkos/team_functors.hpp"
#include "backends/kokkos/team_runs.hpp"
#include "backends/kokkos/thread_moments.hpp"
#include "core/column_matrix.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace fastnorm::kokkos {

/// Positions that a thread has under way at a time.
inline constexpr int positions_under_way = 4;

/// Whether every position begins at a pack's boundary.
inline bool fills_packs(const ColumnMatrix& matrix, int width) {
  return (matrix.x_sample | matrix.x_position | matrix.y_sample | matrix.y_position) % width == 0;
}

/// How the threads of a team share a tile, which is some positions of neighbouring groups of a
/// sample: a line of threads has a position's columns, each of them a pack, and further lines the
/// positions that follow.
struct ColumnTeams {
  std::int64_t groups = 1;       ///< Of a tile,
  std::int64_t group_width = 1;  ///< in columns.
  std::int64_t tiles = 1;        ///< Of a sample, side by side.
  int packs = 1;                 ///< Of a line.
  int lines = 1;                 ///< Of a team.

  /// As many groups as the threads suffice for, in tiles of one size. Without lines where they do
  /// not suffice for a group, or where packs would not fill tiles.
  static ColumnTeams of(const ColumnMatrix& matrix, int threads, int width) {
    ColumnTeams teams;
    teams.lines = 0;
    const std::int64_t most = std::int64_t{threads} * width / matrix.group_width;
    for (std::int64_t groups = std::min(matrix.groups, most); groups > 0; --groups) {
      const std::int64_t columns = groups * matrix.group_width;
      if (matrix.groups % groups != 0 || columns % width != 0) continue;
      teams.groups = groups;
      teams.group_width = matrix.group_width;
      teams.tiles = matrix.groups / groups;
      teams.packs = static_cast<int>(columns / width);
      teams.lines = threads / teams.packs;
      break;
    }
    return teams;
  }

  /// Those with columns.
  KOKKOS_INLINE_FUNCTION int threads() const { return packs * lines; }
  /// That share the partials of a group.
  KOKKOS_INLINE_FUNCTION std::int64_t mergers() const {
    return threads() < groups ? 1 : threads() / groups;
  }
};

/// A call, and the parts that its teams take.
struct ColumnTasks {
  Normalization call;
  ColumnMatrix matrix;
  ColumnTeams teams;
  Parts parts;  ///< Of the positions.
  Moments* partials;

  KOKKOS_INLINE_FUNCTION std::int64_t count() const {
    return matrix.samples * teams.tiles * parts.per_row;
  }

  struct Tile {
    std::int64_t sample;
    std::int64_t group;  ///< Its first.
    std::int64_t part;
  };

  KOKKOS_INLINE_FUNCTION Tile tile(std::int64_t task) const {
    const std::int64_t across = matrix.samples * teams.tiles;
    const std::int64_t part = task / across;
    const std::int64_t rest = task - part * across;
    const std::int64_t sample = rest / teams.tiles;
    return {sample, (rest - sample * teams.tiles) * teams.groups, part};
  }
  KOKKOS_INLINE_FUNCTION std::int64_t row(const Tile& tile, std::int64_t group) const {
    return tile.sample * matrix.groups + tile.group + group;
  }
  KOKKOS_INLINE_FUNCTION Moments* partials_of(std::int64_t row) const {
    return partials + row * parts.per_row;
  }
};

namespace column_kernels_detail {

/// Memory that a team's threads share.
template <class Space, class Value>
using TeamArray =
    Kokkos::View<Value*, typename Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;

/// A thread's columns: which the first is in the tile, and where it lies in x and y at position 0.
template <int Width>
struct ThreadColumns {
  int line;
  int column;
  std::int64_t x;
  std::int64_t y;

  KOKKOS_FUNCTION ThreadColumns(const ColumnTasks& tasks, const ColumnTasks::Tile& tile, int rank)
      : line(rank / tasks.teams.packs), column((rank - line * tasks.teams.packs) * Width) {
    const std::int64_t in_sample = tile.group * tasks.teams.group_width + column;
    x = tile.sample * tasks.matrix.x_sample + in_sample;
    y = tile.sample * tasks.matrix.y_sample + in_sample;
  }
};

/// h at a batch of positions.
template <class T, int Width, int Count>
KOKKOS_FUNCTION void load_columns(const ColumnTasks& tasks, const ThreadColumns<Width>& columns,
                                  const Batch<1, Count>& positions, Accumulator<T>* h) {
  const Normalization& call = tasks.call;
  const auto load = [&](const void* tensor, Pack<T, Width>* packs) {
    const T* first = static_cast<const T*>(tensor) + columns.x;
    for (int p = 0; p < Count; ++p) {
      packs[p] = load_pack<Width>(first + positions.pack(p) * tasks.matrix.x_position);
    }
  };
  Pack<T, Width> x[Count];
  load(call.tensors.x, x);
  if (call.residual == Residual::none) {
    for (int p = 0; p < Count; ++p) widen_run(x[p].values, Width, h + p * Width);
    return;
  }
  Pack<T, Width> residual[Count];
  load(call.tensors.residual, residual);
  for (int p = 0; p < Count; ++p) {
    sum_run(x[p].values, residual[p].values, call.residual, Width, h + p * Width);
  }
}

/// Stores a batch's values as elements of a tensor of that type.
template <int Width, int Count, class Acc>
KOKKOS_FUNCTION void store_columns(DType type, const Batch<1, Count>& positions, const Acc* values,
                                   void* tensor, std::int64_t at, std::int64_t stride) {
  with_element<Acc>(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (int p = 0; p < Count; ++p) {
      Pack<T, Width> pack;
      narrow_run(values + p * Width, Width, pack.values);
      store_pack<Width>(pack, static_cast<T*>(tensor) + at + positions.pack(p) * stride);
    }
  });
}

/// How a thread's columns become y.
template <class Acc, int Width>
struct ColumnMaps {
  typename Standardizer<Acc>::Line standardize[Width];  ///< With the affine map, unless h is
  Acc factor[Width];                                    ///< rounded before that.
  Acc offset[Width];

  template <class Standardizers>
  KOKKOS_FUNCTION ColumnMaps(const ColumnTasks& tasks, const ColumnTasks::Tile& tile,
                             const ThreadColumns<Width>& columns,
                             const Standardizers& standardizers) {
    const bool composes = !tasks.call.rounds_normalised();
    const int group_width = static_cast<int>(tasks.teams.group_width);
    for (int k = 0; k < Width; ++k) {
      const int column = columns.column + k;
      const int group = column / group_width;
      const int channel = column - group * group_width;
      read_channels(tasks.call, tasks.call.first_channels(tasks.row(tile, group)), channel, 1,
                    WidenPack<1>(), factor + k, offset + k);
      const LineStandardizer<Acc> of_group = standardizers(group);
      standardize[k] =
          composes ? of_group.line(factor[k], offset[k]) : of_group.line(Acc{1}, Acc{0});
    }
  }

  template <int Count>
  KOKKOS_FUNCTION void apply(const Normalization& call, Acc* values) const {
    for (int p = 0; p < Count; ++p) {
      for (int k = 0; k < Width; ++k) values[p * Width + k] = standardize[k](values[p * Width + k]);
    }
    if (call.rounds_normalised()) {
      round_run(call.affine_type, values, Count * Width);
      for (int p = 0; p < Count; ++p) {
        for (int k = 0; k < Width; ++k) {
          values[p * Width + k] = values[p * Width + k] * factor[k] + offset[k];
        }
      }
    }
    activate(call.epilogue, values, Count * Width);
  }
};

}  // namespace column_kernels_detail

/// First step: the moments of each part of each group, one writer each.
template <class Space, class T, int Width>
struct ColumnReducePart {
  using Team = typename TeamPolicy<Space>::member_type;
  using Acc = Accumulator<T>;
  using Columns = column_kernels_detail::TeamArray<Space, Moments>;

  ColumnTasks tasks;

  std::size_t scratch_bytes() const {
    return Columns::shmem_size(static_cast<std::size_t>(tasks.teams.threads()) * Width);
  }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Columns of_threads(team.team_scratch(0), tasks.teams.threads() * Width);
    for (std::int64_t task = team.league_rank(); task < tasks.count(); task += team.league_size()) {
      const ColumnTasks::Tile tile = tasks.tile(task);
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, tasks.teams.threads()),
                           [&](int rank) { reduce_columns(tile, rank, of_threads); });
      team.team_barrier();
      merge_lines(team, of_threads);
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, static_cast<int>(tasks.teams.groups)),
                           [&](int group) { merge_group(tile, group, of_threads); });
      team.team_barrier();
    }
  }

 private:
  KOKKOS_FUNCTION void reduce_columns(const ColumnTasks::Tile& tile, int rank,
                                      const Columns& of_threads) const {
    using namespace column_kernels_detail;
    const Statistics statistics = tasks.call.statistics;
    const ThreadColumns<Width> columns(tasks, tile, rank);
    ThreadMoments<Acc> seen[Width];
    const Run<1> run{tasks.parts.begin(tile.part), tasks.parts.end(tile.part)};
    run.template visit<positions_under_way>(
        columns.line, tasks.teams.lines, [&](const auto& positions) {
          constexpr int count = std::decay_t<decltype(positions)>::size;
          Acc h[count * Width];
          load_columns<T>(tasks, columns, positions, h);
          for (int k = 0; k < Width; ++k) {
            Acc of_column[count];
            for (int p = 0; p < count; ++p) of_column[p] = h[p * Width + k];
            seen[k].add(statistics, of_column);
          }
        });
    const int first = columns.line * tasks.teams.packs * Width + columns.column;
    for (int k = 0; k < Width; ++k) of_threads(first + k) = seen[k].moments(statistics);
  }

  /// Into those of the first line, the upper half of the lines at a time.
  KOKKOS_FUNCTION void merge_lines(const Team& team, const Columns& of_threads) const {
    const int columns = tasks.teams.packs * Width;
    for (int lines = tasks.teams.lines; lines > 1;) {
      const int kept = (lines + 1) / 2;
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, (lines - kept) * columns),
                           [&](int i) { merge(of_threads(i), of_threads(i + kept * columns)); });
      team.team_barrier();
      lines = kept;
    }
  }

  KOKKOS_FUNCTION void merge_group(const ColumnTasks::Tile& tile, int group,
                                   const Columns& of_columns) const {
    const int width = static_cast<int>(tasks.teams.group_width);
    Moments all;
    for (int column = 0; column < width; ++column) merge(all, of_columns(group * width + column));
    tasks.partials_of(tasks.row(tile, group))[tile.part] = all;
  }
};

/// Second step: every team merges its groups' partials again, in the same order. Parts that were
/// read last are the first to be read again, and may be found in the cache.
template <class Space, class T, int Width>
struct ColumnApplyPart {
  using Team = typename TeamPolicy<Space>::member_type;
  using Acc = Accumulator<T>;
  using Merged = column_kernels_detail::TeamArray<Space, Moments>;
  using Standardizers = column_kernels_detail::TeamArray<Space, LineStandardizer<Acc>>;

  ColumnTasks tasks;

  std::size_t scratch_bytes() const {
    const auto groups = static_cast<std::size_t>(tasks.teams.groups);
    return Merged::shmem_size(static_cast<std::size_t>(tasks.teams.mergers()) * groups) +
           Standardizers::shmem_size(groups);
  }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int groups = static_cast<int>(tasks.teams.groups);
    const int shares = static_cast<int>(tasks.teams.mergers()) * groups;
    const Merged merged(team.team_scratch(0), shares);
    const Standardizers standardizers(team.team_scratch(0), groups);
    std::int64_t task = tasks.count() - 1 - team.league_rank();
    for (; task >= 0; task -= team.league_size()) {
      const ColumnTasks::Tile tile = tasks.tile(task);
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, shares),
                           [&](int share) { merge_share(tile, share, merged); });
      team.team_barrier();
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, groups), [&](int group) {
        standardizers(group) = standardizer_of(tile, group, merged);
      });
      team.team_barrier();
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, tasks.teams.threads()),
                           [&](int rank) { apply_columns(tile, rank, standardizers); });
      team.team_barrier();
    }
  }

 private:
  KOKKOS_FUNCTION void merge_share(const ColumnTasks::Tile& tile, int share,
                                   const Merged& merged) const {
    const int groups = static_cast<int>(tasks.teams.groups);
    const int first = share / groups;
    const Moments* partials = tasks.partials_of(tasks.row(tile, share - first * groups));
    Moments sum;
    for (std::int64_t i = first; i < tasks.parts.per_row; i += tasks.teams.mergers()) {
      merge(sum, partials[i]);
    }
    merged(share) = sum;
  }

  KOKKOS_FUNCTION LineStandardizer<Acc> standardizer_of(const ColumnTasks::Tile& tile, int group,
                                                        const Merged& merged) const {
    const int groups = static_cast<int>(tasks.teams.groups);
    Moments all;
    for (int i = 0; i < tasks.teams.mergers(); ++i) merge(all, merged(i * groups + group));
    const auto standardizer = Standardizer<Acc>::of(all, tasks.call.eps);
    if (tile.part == 0) {
      store_statistics(tasks.call, tasks.row(tile, group), standardizer, all);
    }
    return LineStandardizer<Acc>(standardizer);
  }

  KOKKOS_FUNCTION void apply_columns(const ColumnTasks::Tile& tile, int rank,
                                     const Standardizers& standardizers) const {
    using namespace column_kernels_detail;
    const Normalization& call = tasks.call;
    const ThreadColumns<Width> columns(tasks, tile, rank);
    const ColumnMaps<Acc, Width> maps(tasks, tile, columns, standardizers);
    const Run<1> run{tasks.parts.begin(tile.part), tasks.parts.end(tile.part)};
    run.template visit<positions_under_way>(
        columns.line, tasks.teams.lines, [&](const auto& positions) {
          constexpr int count = std::decay_t<decltype(positions)>::size;
          Acc values[count * Width];
          load_columns<T>(tasks, columns, positions, values);
          if (call.tensors.sum != nullptr) {
            store_columns<Width>(call.x_type, positions, values, call.tensors.sum, columns.x,
                                 tasks.matrix.x_position);
          }
          maps.template apply<count>(call, values);
          store_columns<Width>(call.y_type, positions, values, call.tensors.y, columns.y,
                               tasks.matrix.y_position);
        });
  }
};

}  // namespace fastnorm::kokkos
