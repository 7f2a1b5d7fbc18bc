// SPDX-License-Identifier: Apache-2.0
/// Moments of a matrix's columns: of those that a thread has, over its positions; merged over the
/// lanes and warps that have the same ones, and over the columns of a group. (moments.cuh has the
/// formulas, and why they are these.)
#pragma once

#include "backends/cuda/device/column_params.hpp"
#include "backends/cuda/device/moments.cuh"

#include <cstdint>

namespace fastnorm::cuda {

/// Columns of a thread: one access of so many elements.
template <class T>
inline constexpr int column_vec = full_vec<T> < most_column_vec ? full_vec<T> : most_column_vec;

/// Where a thread is in its block's tile.
template <int kVec>
struct ColumnThread {
  int column;          ///< Its first one, of the tile.
  int first_position;  ///< Of those that the block has at once; and every so many on.
  int position_step;
  int position_warp;
  int lane_position;  ///< The same of those that its warp has at once.
  int warp_positions;
  bool has_first_lane;  ///< Of the lanes with its columns, the first.

  __device__ __forceinline__ ColumnThread(const ColumnThreads& threads, int warp) {
    const int lane = static_cast<int>(threadIdx.x % 32);
    const int lanes = 1 << threads.log2_lanes;
    position_warp = threads.column_warps == 1 ? warp : warp / threads.column_warps;
    const int column_warp = warp - position_warp * threads.column_warps;
    column = (column_warp * lanes + (lane & (lanes - 1))) * kVec;
    lane_position = lane >> threads.log2_lanes;
    warp_positions = 32 >> threads.log2_lanes;
    first_position = position_warp * warp_positions + lane_position;
    position_step = threads.position_warps * warp_positions;
    has_first_lane = lane_position == 0;
  }
};

/// Of kVec columns.
template <class Acc, int kVec>
class ColumnMoments {
 public:
  /// Elements of kPositions positions: column k of position p is values[p * kVec + k].
  template <int kPositions>
  __device__ __forceinline__ void add(const Acc (&values)[kPositions * kVec]) {
    if (sum_count_ == 0) {
      constexpr Acc share = Acc{1} / kPositions;
#pragma unroll
      for (int k = 0; k < kVec; ++k) {
        pivot_[k] = values[k] * share;
#pragma unroll
        for (int p = 1; p < kPositions; ++p)
          pivot_[k] = fma(values[p * kVec + k], share, pivot_[k]);
      }
    }
    // A sum after the other: the columns are chains enough.
#pragma unroll
    for (int p = 0; p < kPositions; ++p) {
#pragma unroll
      for (int k = 0; k < kVec; ++k) {
        const Acc value[1] = {values[p * kVec + k]};
        sums_[k].add(value, pivot_[k]);
      }
    }
    sum_count_ += kPositions;
  }

  /// Sums become moments: before they are of more positions than a pivot from the first of them
  /// serves well.
  __device__ __forceinline__ void settle() {
    if (sum_count_ == 0) return;
    const Acc share = reciprocal(sum_count_);
    const bool are_first = count_ == 0;
    const Acc weight = are_first ? Acc{1} : sum_count_ * reciprocal(count_ + sum_count_);
    const Acc of_distance = count_ * weight;
#pragma unroll
    for (int k = 0; k < kVec; ++k) {
      const Acc mean = sums_[k].deviations * share;
      const Acc m2 = fma(-mean, sums_[k].deviations, sums_[k].squares);
      if (are_first) of_pivot_[k] = pivot_[k];
      const Acc distance = (pivot_[k] - of_pivot_[k]) + (mean - offset_[k]);
      offset_[k] = fma(distance, weight, offset_[k]);
      m2_[k] += fma(distance * of_distance, distance, m2 < 0 ? Acc{0} : m2);
      sums_[k] = {};
    }
    count_ += sum_count_;
    sum_count_ = 0;
  }

  /// The same where there are so many.
  __device__ __forceinline__ void settle_many() {
    if (sum_count_ >= positions_of_pivot) settle();
  }

  /// Of column k. After settle().
  __device__ __forceinline__ PartMoments<Acc> of_column(int k) const {
    return {of_pivot_[k], offset_[k], m2_[k], count_};
  }

 private:
  PivotSums<Acc> sums_[kVec];
  Acc pivot_[kVec] = {};
  Acc sum_count_ = 0;
  Acc of_pivot_[kVec] = {};  // Settled, as PartMoments has them.
  Acc offset_[kVec] = {};
  Acc m2_[kVec] = {};
  Acc count_ = 0;
};

/// Merges the lanes of a warp whose numbers agree in the lowest `log2_lanes` bits, for each of
/// them. If any of them has elements, the first has. All lanes of the warp call it.
template <class Acc>
__device__ __forceinline__ PartMoments<Acc> merge_lanes_below(const PartMoments<Acc>& part,
                                                              int log2_lanes) {
  if (log2_lanes == 5) return part;
  const int lanes = 1 << log2_lanes;
  const int first_lane = static_cast<int>(threadIdx.x % 32) & (lanes - 1);
  PartMoments<Acc> first;
  first.pivot = __shfl_sync(~0u, part.pivot, first_lane);
  first.offset = __shfl_sync(~0u, part.offset, first_lane);
  PivotSums<Acc> sums;
  sums.add(part, first.distance(part));
  Acc count = part.count;
  for (int offset = lanes; offset < 32; offset *= 2) {
    sums.deviations += __shfl_xor_sync(~0u, sums.deviations, offset);
    sums.squares += __shfl_xor_sync(~0u, sums.squares, offset);
    count += __shfl_xor_sync(~0u, count, offset);
  }
  return sums.settle(first.pivot, first.offset, count);
}

/// A tile's columns, and the pieces of groups that it has.
struct ColumnTile {
  std::int64_t sample;
  int tile;
  std::int64_t begin;  ///< First column, of the matrix.
  int columns;
  std::uint32_t first_group;
  int pieces;

  __device__ __forceinline__ ColumnTile(const ColumnGeometry& geometry, const ColumnTiles& tiles,
                                        std::int64_t sample_of, int tile_of)
      : sample(sample_of), tile(tile_of), begin(std::int64_t{tile_of} * tiles.width) {
    const std::int64_t left = geometry.width - begin;
    columns = left < tiles.width ? static_cast<int>(left) : tiles.width;
    first_group = geometry.group_width.quotient(static_cast<std::uint32_t>(begin));
    const std::uint32_t last = geometry.group_width.quotient(
        static_cast<std::uint32_t>(begin) + static_cast<std::uint32_t>(columns) - 1);
    pieces = static_cast<int>(last - first_group) + 1;
  }

  /// Piece `piece`'s columns, of the tile.
  struct Columns {
    int begin;
    int count;
  };
  __device__ __forceinline__ Columns columns_of(const ColumnGeometry& geometry, int piece) const {
    const auto width = static_cast<std::int64_t>(geometry.group_width.divisor());
    const std::int64_t group_begin =
        (first_group + static_cast<std::int64_t>(piece)) * width - begin;
    const auto from = static_cast<int>(group_begin < 0 ? 0 : group_begin);
    const std::int64_t group_end = group_begin + width;
    const int to = group_end < columns ? static_cast<int>(group_end) : columns;
    return {from, to - from};
  }

  /// The piece of one of the tile's columns.
  __device__ __forceinline__ int piece_of(const ColumnGeometry& geometry, int column) const {
    return static_cast<int>(geometry.group_width.quotient(static_cast<std::uint32_t>(begin) +
                                                          static_cast<std::uint32_t>(column)) -
                            first_group);
  }
};

/// Threads' moments, for whoever merges the groups: of_columns[position_warp * tile width + column]
/// in shared memory. All lanes of the warp call it.
template <class Acc, int kVec>
__device__ __forceinline__ void share_columns(const ColumnMoments<Acc, kVec>& moments,
                                              const ColumnThreads& threads,
                                              const ColumnThread<kVec>& thread, int columns,
                                              int tile_width, PartMoments<Acc>* of_columns) {
#pragma unroll
  for (int k = 0; k < kVec; ++k) {
    const PartMoments<Acc> merged = merge_lanes_below(moments.of_column(k), threads.log2_lanes);
    if (thread.has_first_lane && thread.column + k < columns) {
      of_columns[thread.position_warp * tile_width + thread.column + k] = merged;
    }
  }
}

/// Calls function(piece, moments) in one lane for each of the tile's pieces, in the order of the
/// positions' warps, from `first_warp` on, and columns. If any of those has positions, the first
/// has. After share_columns and a barrier; all lanes of the warp call it.
template <class Acc, class Function>
__device__ __forceinline__ void each_piece(const ColumnGeometry& geometry, const ColumnTile& tile,
                                           const ColumnThreads& threads, int first_warp,
                                           int tile_width, int warp,
                                           const PartMoments<Acc>* of_columns,
                                           Function&& function) {
  const int width = 1 << threads.log2_group_lanes;
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int of_group = lane & (width - 1);
  const int at_once = 32 >> threads.log2_group_lanes;
  for (int first = warp * at_once; first < tile.pieces; first += threads.warps() * at_once) {
    const int piece = first + (lane >> threads.log2_group_lanes);
    PartMoments<Acc> mine;
    if (piece < tile.pieces) {
      const ColumnTile::Columns columns = tile.columns_of(geometry, piece);
      const int entries = columns.count * threads.position_warps;
      for (int entry = of_group; entry < entries; entry += width) {
        const int after_first = entry / columns.count;
        const int column = entry - after_first * columns.count;
        const int wrapped = first_warp + after_first;
        const int below =
            wrapped < threads.position_warps ? wrapped : wrapped - threads.position_warps;
        mine = merge(mine, of_columns[below * tile_width + columns.begin + column]);
      }
    }
    const PartMoments<Acc> of_piece = merge_lanes(mine, width);
    if (piece < tile.pieces && of_group == 0) function(piece, of_piece);
  }
}

}  // namespace fastnorm::cuda
