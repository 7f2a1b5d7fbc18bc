// SPDX-License-Identifier: Apache-2.0
/// How the threads of a team share the elements of a row, or of a part of one.
#pragma once

#include "backends/kokkos/moments.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace fastnorm::kokkos {

/// Elements `at`, `at` + 1... of a tensor: `Packs` packs of `Width` elements, `stride` elements
/// from pack to pack.
template <int Width, int Packs>
struct Batch {
  static constexpr int width = Width;
  static constexpr int packs = Packs;
  static constexpr int size = Width * Packs;

  std::int64_t at;
  std::int64_t stride;

  KOKKOS_INLINE_FUNCTION std::int64_t pack(int index) const { return at + index * stride; }
};

/// The elements [begin, end) of a tensor. All but the first and the last few form packs, which
/// start at multiples of their width.
template <int Width>
struct Run {
  std::int64_t begin;
  std::int64_t end;

  /// Calls visit(Batch) for the share of thread `rank` of `threads`. Neighbouring threads take
  /// neighbouring packs, each thread `Packs` at a time and the rest one by one.
  template <int Packs, class Visit>
  KOKKOS_FUNCTION void visit(int rank, int threads, const Visit& visit) const {
    const std::int64_t first = begin + (Width - begin % Width) % Width;
    const std::int64_t stride = std::int64_t{Width} * threads;
    std::int64_t at = first + std::int64_t{Width} * rank;
    if constexpr (Packs > 1) {
      for (; at + (Packs - 1) * stride + Width <= end; at += Packs * stride) {
        visit(Batch<Width, Packs>{at, stride});
      }
    }
    for (; at + Width <= end; at += stride) visit(Batch<Width, 1>{at, stride});
    if constexpr (Width > 1) visit_edges(first < end ? first : end, rank, threads, visit);
  }

 private:
  template <class Visit>
  KOKKOS_FUNCTION void visit_edges(std::int64_t first, int rank, int threads,
                                   const Visit& visit) const {
    const std::int64_t before = first - begin;
    const std::int64_t behind = (end - first) % Width;
    for (std::int64_t i = rank; i < before + behind; i += threads) {
      visit(Batch<1, 1>{i < before ? begin + i : end - 1 - (i - before), 1});
    }
  }
};

/// Reducer over Moments, for Kokkos::parallel_reduce.
template <class Space>
class MergeMoments {
 public:
  using reducer = MergeMoments;
  using value_type = Moments;
  using result_view_type = Kokkos::View<Moments, Space, Kokkos::MemoryUnmanaged>;

  KOKKOS_FUNCTION explicit MergeMoments(Moments& result) : result_(&result) {}
  KOKKOS_FUNCTION void join(Moments& into, const Moments& part) const { merge(into, part); }
  KOKKOS_FUNCTION void init(Moments& moments) const { moments = Moments(); }
  KOKKOS_FUNCTION Moments& reference() const { return *result_.data(); }
  KOKKOS_FUNCTION result_view_type view() const { return result_; }
  KOKKOS_FUNCTION bool references_scalar() const { return true; }

 private:
  result_view_type result_;
};

/// All threads of a team, at one run together.
template <class Team>
class WholeTeam {
 public:
  KOKKOS_FUNCTION explicit WholeTeam(const Team& team) : team_(team) {}

  KOKKOS_FUNCTION int threads() const { return team_.team_size(); }

  /// Calls body(rank) in each thread.
  template <class Body>
  KOKKOS_FUNCTION void each(const Body& body) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team_, threads()), body);
  }

  /// Calls body(rank, moments) in each thread; all get what they have together.
  template <class Body>
  KOKKOS_FUNCTION Moments merged(const Body& body) const {
    Moments all;
    Kokkos::parallel_reduce(Kokkos::TeamThreadRange(team_, threads()), body,
                            MergeMoments<typename Team::execution_space>(all));
    return all;
  }

  template <class Body>
  KOKKOS_FUNCTION void once(const Body& body) const {
    Kokkos::single(Kokkos::PerTeam(team_), body);
  }

 private:
  const Team& team_;
};

/// The vector lanes of one of a team's threads, while its other threads are at other runs.
template <class Team>
class LanesOfThread {
 public:
  KOKKOS_FUNCTION LanesOfThread(const Team& team, int lanes) : team_(team), lanes_(lanes) {}

  KOKKOS_FUNCTION int threads() const { return lanes_; }

  template <class Body>
  KOKKOS_FUNCTION void each(const Body& body) const {
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team_, lanes_), body);
  }

  template <class Body>
  KOKKOS_FUNCTION Moments merged(const Body& body) const {
    Moments all;
    Kokkos::parallel_reduce(Kokkos::ThreadVectorRange(team_, lanes_), body,
                            MergeMoments<typename Team::execution_space>(all));
    return all;
  }

  template <class Body>
  KOKKOS_FUNCTION void once(const Body& body) const {
    Kokkos::single(Kokkos::PerThread(team_), body);
  }

 private:
  const Team& team_;
  int lanes_;
};

}  // namespace fastnorm::kokkos
