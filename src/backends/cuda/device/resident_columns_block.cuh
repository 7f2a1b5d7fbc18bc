// SPDX-License-Identifier: Apache-2.0
/// A tile of columns, or some of its positions, in the registers of a block: read once, its moments
/// formed where it is, written from there. Blocks of a cluster share a tile's positions; the
/// moments of their parts meet in distributed shared memory.
#pragma once

#include "backends/cuda/device/column_moments.cuh"
#include "backends/cuda/device/column_output.cuh"
#include "backends/cuda/device/exchange_delays.cuh"
#include "backends/cuda/device/row_input.cuh"
#include "backends/cuda/device/row_output.cuh"
#include "backends/cuda/resident_columns_kernel.hpp"

#include <cooperative_groups.h>

#include <cstdint>

namespace fastnorm::cuda {

/// A position's affine map, in one access of shared memory.
template <class Acc>
struct alignas(2 * sizeof(Acc)) PositionAffine {
  Acc factor;
  Acc offset;
};

/// A group's statistics, likewise.
template <class Acc>
struct alignas(4 * sizeof(Acc)) GroupStatistics {
  RowStatistics<Acc> row;
};

/// The blocks that share a tile: one, or a cluster.
class ColumnCluster {
 public:
  explicit __device__ __forceinline__ ColumnCluster(const FastDivide& blocks)
      : blocks_(static_cast<int>(blocks.divisor())),
        unit_(blocks.quotient(blockIdx.x)),
        rank_(static_cast<int>(blockIdx.x - unit_ * blocks.divisor())) {}

  __device__ __forceinline__ int blocks() const { return blocks_; }
  __device__ __forceinline__ int rank() const { return rank_; }
  __device__ __forceinline__ std::uint32_t unit() const { return unit_; }

#if __CUDA_ARCH__ >= 900
  /// This block runs: from then on, others may write into its shared memory.
  __device__ __forceinline__ void announce() const {
    if (blocks() > 1) cooperative_groups::this_cluster().barrier_arrive();
  }
  /// All of them run.
  __device__ __forceinline__ void await_others() const {
    if (blocks() > 1) cooperative_groups::this_cluster().barrier_wait();
  }
  /// What each wrote to the others before it is there after it.
  __device__ __forceinline__ void meet() const { cooperative_groups::this_cluster().sync(); }

  /// Where block `rank` has what this one has at `mine`.
  template <class Value>
  __device__ __forceinline__ Value* of_block(Value* mine, int rank) const {
    return cooperative_groups::this_cluster().map_shared_rank(mine, rank);
  }
#else
  // There are none.
  __device__ __forceinline__ void announce() const {}
  __device__ __forceinline__ void await_others() const {}
  __device__ __forceinline__ void meet() const {}
  template <class Value>
  __device__ __forceinline__ Value* of_block(Value* mine, int) const {
    return mine;
  }
#endif

 private:
  const int blocks_;
  const std::uint32_t unit_;
  const int rank_;
};

/// What each block of the grid does. Delays: see exchange_delays.cuh.
template <class T, int kVec, int kUnroll, RowForm kForm, class Delays = NoDelays>
class ResidentColumnsBlock {
 public:
  using Acc = Accumulator<T>;

  __device__ __forceinline__ ResidentColumnsBlock(const ColumnParams& params,
                                                  const ResidentColumns& shape,
                                                  unsigned char* shared, const Delays& delays = {})
      : ResidentColumnsBlock(params, shape, shared, delays, ColumnCluster(shape.blocks)) {}

  __device__ __forceinline__ void run() {
    delays_.before_load();
    cluster_.announce();
    load_positions();
    const AffineValues<Acc, kVec> affine = has_columns_
                                               ? Output::own_affine(params_, tile_, thread_.column)
                                               : AffineValues<Acc, kVec>{};
    const bool maps_positions = Output::has_position_affine(params_);
    if (maps_positions) stage_position_affine();
    PartMoments<Acc> of_columns[kVec];
    take_moments(of_columns);

    if (shape_.groups_are_warps) {
      RowStatistics<Acc> of_column[kVec];
      finish_own_groups(of_columns, of_column);
      if (maps_positions) __syncthreads();
      if (has_columns_) {
        write(Output(params_, tile_, thread_.column, affine, [&](int k) { return of_column[k]; }));
      }
      return;
    }
    share_cells(of_columns);
    __syncthreads();
    if (cluster_.blocks() == 1) {
      each_group([&](int group, bool is_first_lane, const PartMoments<Acc>& moments) {
        if (is_first_lane) know(group, moments);
      });
    } else {
      exchange();
    }
    __syncthreads();
    if (has_columns_) {
      write(Output(params_, tile_, thread_.column, affine, [&](int k) {
        return of_groups_[params_.geometry.group_width.quotient(
                              static_cast<std::uint32_t>(thread_.column + k))]
            .row;
      }));
    }
  }

 private:
  using Output = ColumnOutput<T, kForm, kVec>;
  /// Positions that become outputs at a time, where all cannot.
  static constexpr int kPiece = kUnroll < 16 ? 2 : 4;
  /// And those whose residual is on its way at a time: all of it would take as many registers
  /// again.
  static constexpr int kAdded = sizeof(T) == 2 && kUnroll % 8 == 0 ? 8 : 4;

  __device__ __forceinline__ ResidentColumnsBlock(const ColumnParams& params,
                                                  const ResidentColumns& shape,
                                                  unsigned char* shared, const Delays& delays,
                                                  const ColumnCluster& cluster)
      : params_(params),
        shape_(shape),
        of_cells_(reinterpret_cast<PartMoments<Acc>*>(shared)),
        of_parts_(reinterpret_cast<PartMoments<Acc>*>(shared + shape.parts_at)),
        of_groups_(reinterpret_cast<GroupStatistics<Acc>*>(shared + shape.groups_at)),
        affine_(reinterpret_cast<PositionAffine<Acc>*>(shared + shape.affine_at)),
        cluster_(cluster),
        tile_(params.geometry, shape.tiles, shape.tile_count.quotient(cluster.unit()),
              static_cast<int>(cluster.unit() - shape.tile_count.quotient(cluster.unit()) *
                                                    shape.tile_count.divisor())),
        thread_(shape.threads, static_cast<int>(threadIdx.x / 32)),
        begin_(cluster.rank() * shape.part_positions),
        positions_(min(static_cast<int>(params.geometry.positions) - begin_, shape.part_positions)),
        has_columns_(thread_.column < tile_.columns),
        held_(count_held()),
        delays_(delays) {}

  __device__ __forceinline__ bool is_whole() const { return held_ == kUnroll; }

  /// Positions that the thread has.
  __device__ __forceinline__ int count_held() const {
    if (!has_columns_) return 0;
    const int first = thread_.first_position;
    const int step = thread_.position_step;
    if (first + (kUnroll - 1) * step < positions_) return kUnroll;
    int held = 0;
    for (int position = first; position < positions_; position += step) ++held;
    return held;
  }

  /// Where x has the thread's first position, but for the sample's part of it.
  __device__ __forceinline__ std::int64_t x_of_columns() const {
    return tile_.sample * params_.geometry.x_sample + tile_.begin + thread_.column;
  }

  __device__ __forceinline__ void load_positions() {
    const RowInput<T, kForm> input(
        params_, x_of_columns() + (begin_ + thread_.first_position) * params_.geometry.x_position);
    const CachePolicy hint(params_.cache.load);
    const std::int64_t step = thread_.position_step * params_.geometry.x_position;
    const T* from = input.x;
    if (is_whole()) {
#pragma unroll
      for (int u = 0; u < kUnroll; ++u) {
        packed_[u] = load<T, kVec>(from, hint);
        advance(from, step);
      }
    } else {
#pragma unroll
      for (int u = 0; u < kUnroll; ++u) {
        packed_[u] = {};
        if (u < held_) packed_[u] = load<T, kVec>(from, hint);
        advance(from, step);
      }
    }
    if (input.residual == nullptr) return;
    from = input.residual;
#pragma unroll
    for (int piece = 0; piece < kUnroll; piece += kAdded) {
      Packed<T, kVec> added[kAdded] = {};
#pragma unroll
      for (int u = 0; u < kAdded; ++u) {
        if (piece + u < held_) added[u] = load<T, kVec>(from, hint);
        advance(from, step);
      }
#pragma unroll
      for (int u = 0; u < kAdded; ++u) {
        Acc a[kVec];
        Acc b[kVec];
        unpack(packed_[piece + u], a);
        unpack(added[u], b);
#pragma unroll
        for (int k = 0; k < kVec; ++k) a[k] += b[k];
        packed_[piece + u] = pack<T>(a);
      }
    }
  }

  /// One addition: the compiler is not to multiply instead.
  template <class Element>
  static __device__ __forceinline__ void advance(Element*& at, std::int64_t step) {
    at += step;
    asm volatile("" : "+l"(at));
  }

  /// Every thread of the block needs all of them, once the block has met.
  __device__ __forceinline__ void stage_position_affine() const {
    for (int p = static_cast<int>(threadIdx.x); p < positions_; p += static_cast<int>(blockDim.x)) {
      const AffineValues<Acc, 1> affine =
          Output::affine_of_position(params_, tile_.sample, begin_ + p);
      affine_[p] = {affine.factor[0], affine.offset[0]};
    }
  }

  /// Of each of the thread's columns.
  __device__ __forceinline__ void take_moments(PartMoments<Acc> (&of_columns)[kVec]) {
    const bool centred = params_.statistics == Statistics::mean_variance;
    // Where the first position is the pivot, copies of it add nothing.
    if (centred && !is_whole()) {
#pragma unroll
      for (int u = 1; u < kUnroll; ++u) {
        if (u >= held_) packed_[u] = packed_[0];
      }
    }
    Acc pivot[kVec] = {};
    PivotSums<Acc> sums[kVec];
    if (centred) {
      find_pivots(pivot);
      each_vector([&](int k, const Acc(&value)[1]) { sums[k].add(value, pivot[k]); });
    } else {
      each_vector([&](int k, const Acc(&value)[1]) { sums[k].add_squares(value); });
    }
#pragma unroll
    for (int k = 0; k < kVec; ++k) {
      of_columns[k] = sums[k].settle(pivot[k], 0, static_cast<Acc>(held_));
    }
    // Half-width elements stay packed until their output.
    if constexpr (sizeof(T) < sizeof(Acc)) {
#pragma unroll
      for (int u = 0; u < kUnroll; ++u) settle(packed_[u].word);
    }
  }

  /// Calls function(column, value): the columns are chains that do not wait for each other.
  template <class Function>
  __device__ __forceinline__ void each_vector(Function&& function) const {
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      Acc values[kVec];
      unpack(packed_[u], values);
#pragma unroll
      for (int k = 0; k < kVec; ++k) {
        const Acc value[1] = {values[k]};
        function(k, value);
      }
    }
  }

  /// From the first positions of a thread that has all of them.
  __device__ __forceinline__ void find_pivots(Acc (&pivot)[kVec]) const {
    unpack(packed_[0], pivot);
    if (!is_whole()) return;
    constexpr int kFirst = 4;
    constexpr Acc share = Acc{1} / kFirst;
#pragma unroll
    for (int k = 0; k < kVec; ++k) pivot[k] *= share;
#pragma unroll
    for (int u = 1; u < kFirst; ++u) {
      Acc values[kVec];
      unpack(packed_[u], values);
#pragma unroll
      for (int k = 0; k < kVec; ++k) pivot[k] = fma(values[k], share, pivot[k]);
    }
  }

  /// For the compiler, the word is computed here and now, and is all that is known of it.
  static __device__ __forceinline__ void settle(uint2& word) {
    asm volatile("" : "+r"(word.x), "+r"(word.y));
  }
  static __device__ __forceinline__ void settle(std::uint16_t& word) {
    asm volatile("" : "+h"(word));
  }

  __device__ __forceinline__ bool cells_are_vectors() const {
    return kVec > 1 && shape_.cell_columns == kVec;
  }

  /// Of the thread's vector.
  static __device__ __forceinline__ PartMoments<Acc> merge_columns(
      const PartMoments<Acc> (&of_columns)[kVec]) {
    PivotSums<Acc> sums;
    Acc count = 0;
#pragma unroll
    for (int k = 0; k < kVec; ++k) {
      sums.add(of_columns[k], of_columns[0].distance(of_columns[k]));
      count += of_columns[k].count;
    }
    return sums.settle(of_columns[0].pivot, of_columns[0].offset, count);
  }

  /// Merges the lanes that have the same columns, for each of them: as merge_lanes_below does, of
  /// cells that have equally many elements.
  template <int kCells>
  __device__ __forceinline__ void merge_lanes_below(PartMoments<Acc> (&cells)[kCells]) const {
    const int log2_lanes = shape_.threads.log2_lanes;
    if (log2_lanes == 5) return;
    const int lanes = 1 << log2_lanes;
    const int first_lane = static_cast<int>(threadIdx.x) & (lanes - 1);
    PivotSums<Acc> sums[kCells];
    Acc count = cells[0].count;
#pragma unroll
    for (int c = 0; c < kCells; ++c) {
      PartMoments<Acc> first;
      first.pivot = __shfl_sync(~0u, cells[c].pivot, first_lane);
      first.offset = __shfl_sync(~0u, cells[c].offset, first_lane);
      sums[c].add(cells[c], first.distance(cells[c]));
      cells[c].pivot = first.pivot;
      cells[c].offset = first.offset;
    }
    for (int offset = lanes; offset < 32; offset *= 2) {
      count += __shfl_xor_sync(~0u, count, offset);
#pragma unroll
      for (int c = 0; c < kCells; ++c) {
        sums[c].deviations += __shfl_xor_sync(~0u, sums[c].deviations, offset);
        sums[c].squares += __shfl_xor_sync(~0u, sums[c].squares, offset);
      }
    }
#pragma unroll
    for (int c = 0; c < kCells; ++c) {
      cells[c] = sums[c].settle(cells[c].pivot, cells[c].offset, count);
    }
  }

  /// Where the warp has whole groups: the thread's columns' statistics.
  __device__ __forceinline__ void finish_own_groups(PartMoments<Acc> (&of_columns)[kVec],
                                                    RowStatistics<Acc> (&of_column)[kVec]) const {
    if (cells_are_vectors()) {
      PartMoments<Acc> of_vector[1] = {merge_columns(of_columns)};
      merge_lanes_below(of_vector);
      of_column[0] = finish_own(of_vector[0]);
      write_own(of_column[0], thread_.column / kVec);
#pragma unroll
      for (int k = 1; k < kVec; ++k) of_column[k] = of_column[0];
    } else {
      merge_lanes_below(of_columns);
#pragma unroll
      for (int k = 0; k < kVec; ++k) of_column[k] = finish_own(of_columns[k]);
      if (params_.tensors.mean != nullptr || params_.tensors.rstd != nullptr) {
#pragma unroll
        for (int k = 0; k < kVec; ++k) write_own(of_column[k], thread_.column + k);
      }
    }
  }

  __device__ __forceinline__ RowStatistics<Acc> finish_own(const PartMoments<Acc>& part) const {
    return finish(part, params_.statistics, static_cast<Acc>(params_.eps));
  }
  __device__ __forceinline__ void write_own(const RowStatistics<Acc>& statistics, int group) const {
    if (thread_.has_first_lane && has_columns_) {
      write_statistics(params_, group_of_tensor(group), statistics);
    }
  }

  /// of_cells_[position_warp * cells + cell].
  __device__ __forceinline__ void share_cells(PartMoments<Acc> (&of_columns)[kVec]) const {
    PartMoments<Acc>* const row = of_cells_ + thread_.position_warp * shape_.cells;
    const bool shares = thread_.has_first_lane && has_columns_;
    if (cells_are_vectors()) {
      PartMoments<Acc> of_vector[1] = {merge_columns(of_columns)};
      merge_lanes_below(of_vector);
      if (shares) row[thread_.column / kVec] = of_vector[0];
    } else {
      merge_lanes_below(of_columns);
      if (shares) {
#pragma unroll
        for (int k = 0; k < kVec; ++k) row[thread_.column + k] = of_columns[k];
      }
    }
  }

  /// Calls function(group, is_first_lane, moments) in each lane that merges one of the tile's
  /// groups. After share_cells and a barrier; all threads call it.
  template <class Function>
  __device__ __forceinline__ void each_group(Function&& function) const {
    const ColumnThreads& threads = shape_.threads;
    const int warp = static_cast<int>(threadIdx.x / 32);
    const int lane = static_cast<int>(threadIdx.x % 32);
    const int width = 1 << threads.log2_group_lanes;
    const int at_once = 32 >> threads.log2_group_lanes;
    const int of_group = lane & (width - 1);
    const int cell_lanes = 1 << shape_.log2_cell_lanes;
    const int first_cell = of_group & (cell_lanes - 1);
    const int first_row = of_group >> shape_.log2_cell_lanes;
    const int row_step = width >> shape_.log2_cell_lanes;
    for (int first = warp * at_once; first < tile_.pieces; first += threads.warps() * at_once) {
      const int group = first + (lane >> threads.log2_group_lanes);
      PartMoments<Acc> mine;
      if (group < tile_.pieces && first_cell < shape_.cells_per_group &&
          first_row < threads.position_warps) {
        const PartMoments<Acc>* const cells = of_cells_ + group * shape_.cells_per_group;
        const PartMoments<Acc> pivot = cells[first_row * shape_.cells + first_cell];
        PivotSums<Acc> sums;
        Acc count = 0;
        for (int row = first_row; row < threads.position_warps; row += row_step) {
          for (int cell = first_cell; cell < shape_.cells_per_group; cell += cell_lanes) {
            const PartMoments<Acc> part = cells[row * shape_.cells + cell];
            sums.add(part, pivot.distance(part));
            count += part.count;
          }
        }
        mine = sums.settle(pivot.pivot, pivot.offset, count);
      }
      const PartMoments<Acc> merged = merge_lanes(mine, width);
      if (group < tile_.pieces) function(group, of_group == 0, merged);
    }
  }

  /// Every block's moments of every group in every block, merged in the order of the ranks.
  __device__ __forceinline__ void exchange() {
    const int blocks = cluster_.blocks();
    const int rank = cluster_.rank();
    const int lane = static_cast<int>(threadIdx.x % 32);
    delays_.before_send();
    cluster_.await_others();
    each_group([&](int group, bool, const PartMoments<Acc>& moments) {
      const int width = 1 << shape_.threads.log2_group_lanes;
      for (int block = lane & (width - 1); block < blocks; block += width) {
        *cluster_.of_block(of_parts_ + group * blocks + rank, block) = moments;
      }
    });
    cluster_.meet();
    delays_.before_receive();
    const int log2_lanes = 32 - __clz(blocks - 1);
    const int lanes = 1 << log2_lanes;
    const int at_once = 32 >> log2_lanes;
    const int of_group = lane & (lanes - 1);
    const int warp = static_cast<int>(threadIdx.x / 32);
    for (int first = warp * at_once; first < tile_.pieces;
         first += shape_.threads.warps() * at_once) {
      const int group = first + (lane >> log2_lanes);
      PartMoments<Acc> part;
      if (group < tile_.pieces && of_group < blocks) part = of_parts_[group * blocks + of_group];
      const PartMoments<Acc> merged = merge_lanes(part, lanes);
      if (group < tile_.pieces && of_group == 0) know(group, merged);
    }
  }

  __device__ __forceinline__ std::int64_t group_of_tensor(int group) const {
    return tile_.sample * params_.geometry.groups + (std::int64_t{tile_.first_group} + group);
  }

  __device__ __forceinline__ void know(int group, const PartMoments<Acc>& moments) const {
    const auto statistics = finish(moments, params_.statistics, static_cast<Acc>(params_.eps));
    of_groups_[group] = {statistics};
    if (cluster_.rank() == 0) write_statistics(params_, group_of_tensor(group), statistics);
  }

  __device__ __forceinline__ void write(const Output& output) {
    delays_.before_write();
    if constexpr (kForm == RowForm::plain) {
      using activation_detail::Identity;
      using activation_detail::Silu;
      // What almost every call has is worth code of its own, in which nothing moves.
      if (params_.epilogue.activation == Activation::none) return write_at_once(output, Identity{});
      if (params_.epilogue.activation == Activation::silu) return write_at_once(output, Silu{});
    }
    write_in_turn(output);
  }

  template <class Activation>
  __device__ __forceinline__ void write_at_once(const Output& output,
                                                const Activation& activation) const {
    if (Output::has_position_affine(params_)) {
      write_mapped(output, [&](int position, Acc(&values)[kVec]) {
        const PositionAffine<Acc> affine = affine_[position];
#pragma unroll
        for (int k = 0; k < kVec; ++k) {
          values[k] = activation(fma(values[k], affine.factor, affine.offset));
        }
      });
    } else {
      write_mapped(output, [&](int, Acc(&values)[kVec]) {
#pragma unroll
        for (int k = 0; k < kVec; ++k) values[k] = activation(values[k]);
      });
    }
  }

  /// map(position of the part, standardised values) is all that is left to do.
  template <class Map>
  __device__ __forceinline__ void write_mapped(const Output& output, Map&& map) const {
    const ColumnGeometry& geometry = params_.geometry;
    const CachePolicy hint(params_.cache.store);
    const std::int64_t step = thread_.position_step * geometry.y_position;
    T* to = static_cast<T*>(params_.tensors.y) + tile_.sample * geometry.y_sample + tile_.begin +
            thread_.column + (begin_ + thread_.first_position) * geometry.y_position;
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      if (u >= held_) break;
      Acc values[kVec];
      unpack(packed_[u], values);
      output.standardise(values);
      map(thread_.first_position + u * thread_.position_step, values);
      store(to, pack<T>(values), hint);
      advance(to, step);
    }
  }

  /// One copy of the output's code, past which the positions move up.
  __device__ __forceinline__ void write_in_turn(const Output& output) {
    int position = thread_.first_position;
    const int step = thread_.position_step;
    const auto affine_at = [&](int p, std::int64_t) {
      const PositionAffine<Acc> affine = affine_[position + p * step];
      return AffineValues<Acc, 1>{{affine.factor}, {affine.offset}};
    };
#pragma unroll 1
    for (; position + (kPiece - 1) * step < positions_; position += kPiece * step) {
      Acc values[kPiece * kVec];
#pragma unroll
      for (int u = 0; u < kPiece; ++u) unpack_into(packed_[u], u, values);
      move_up<kPiece>();
      output.template write<kPiece>(x_of_columns(), begin_ + position, step, values, affine_at);
    }
#pragma unroll 1
    for (; position < positions_; position += step) {
      Acc values[kVec];
      unpack(packed_[0], values);
      move_up<1>();
      output.template write<1>(x_of_columns(), begin_ + position, step, values, affine_at);
    }
  }

  template <int kBy>
  __device__ __forceinline__ void move_up() {
#pragma unroll
    for (int u = 0; u + kBy < kUnroll; ++u) packed_[u] = packed_[u + kBy];
  }

  const ColumnParams& params_;
  const ResidentColumns& shape_;
  PartMoments<Acc>* const of_cells_;       ///< See share_cells.
  PartMoments<Acc>* const of_parts_;       ///< [group][block].
  GroupStatistics<Acc>* const of_groups_;  ///< Of the tile.
  PositionAffine<Acc>* const affine_;      ///< Of the block's positions.
  const ColumnCluster cluster_;
  const ColumnTile tile_;
  const ColumnThread<kVec> thread_;
  const int begin_;
  const int positions_;
  const bool has_columns_;
  const int held_;
  Packed<T, kVec> packed_[kUnroll];
  Delays delays_;
};

}  // namespace fastnorm::cuda
