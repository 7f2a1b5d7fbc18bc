// SPDX-License-Identifier: Apache-2.0
/// Threads that hold a row together, each with kUnroll vectors of it, and how their moments meet:
/// every thread has those of all.
///
/// Vectors that a warp (or the part of one that is a team) holds lie beside each other, from vector
/// run_of<kUnroll>() on, and vector u of a thread is number lane() + u * step() of them: distances
/// are constants, and a run meets few channels.
#pragma once

#include "backends/cuda/device/moments.cuh"

#include <type_traits>

namespace fastnorm::cuda {

/// Neighbouring lanes, a power of two of them. A warp has several teams, and none waits for
/// another warp. All lanes of a warp call the members, those without a row as well.
class LaneTeam {
 public:
  explicit __device__ __forceinline__ LaneTeam(int lanes)
      : lanes_(lanes), rank_(static_cast<int>(threadIdx.x) & (lanes - 1)) {}

  __device__ __forceinline__ int rank() const { return rank_; }

  template <int kUnroll>
  __device__ __forceinline__ int run_of() const {
    return 0;
  }
  __device__ __forceinline__ int lane() const { return rank(); }
  __device__ __forceinline__ int step() const { return lanes_; }

  /// Moments of the row, from sums about a pivot that the team's lanes share and the row's number
  /// of elements.
  template <class Acc>
  __device__ __forceinline__ PartMoments<Acc> merge(PivotSums<Acc> mine, Acc pivot,
                                                    int count) const {
    sum_lanes(lanes_, mine.deviations, mine.squares);
    return mine.settle(pivot, 0, static_cast<Acc>(count));
  }

  /// The first lane's.
  template <class Value>
  __device__ __forceinline__ Value from_first(Value mine) const {
    return __shfl_sync(~0u, mine, 0, lanes_);
  }

 private:
  int lanes_;
  int rank_;
};

/// A block. All of its threads call the members.
class BlockTeam {
 public:
  __device__ __forceinline__ int rank() const { return static_cast<int>(threadIdx.x); }

  template <int kUnroll>
  __device__ __forceinline__ int run_of() const {
    return rank() / 32 * 32 * kUnroll;
  }
  __device__ __forceinline__ int lane() const { return rank() % 32; }
  __device__ __forceinline__ std::integral_constant<int, 32> step() const { return {}; }

  /// The same with a pivot, and a number of elements, for each warp. Once, unless a barrier lies
  /// between.
  template <class Acc>
  __device__ __forceinline__ PartMoments<Acc> merge(PivotSums<Acc> mine, Acc pivot,
                                                    int count) const {
    sum_lanes(32, mine.deviations, mine.squares);
    return merge_warps(mine.settle(pivot, 0, static_cast<Acc>(count)));
  }

  /// The warp's first lane's.
  template <class Value>
  __device__ __forceinline__ Value from_first(Value mine) const {
    return __shfl_sync(~0u, mine, 0);
  }
};

}  // namespace fastnorm::cuda
