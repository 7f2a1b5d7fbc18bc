// SPDX-License-Identifier: Apache-2.0
// Several blocks a sample: one kernel for the moments of the groups' pieces, one that joins them
// and writes y.
#include "backends/cuda/device/column_moments.cuh"
#include "backends/cuda/device/column_output.cuh"
#include "backends/cuda/device/row_input.cuh"
#include "backends/cuda/kernel_table.hpp"
#include "backends/cuda/split_columns_kernels.hpp"

#include <algorithm>

namespace fastnorm::cuda {
namespace {

/// Positions that a thread loads before it uses the first: 64 bytes.
template <class T, int kVec>
constexpr int unroll = kVec == 1 ? 4 : 64 / (kVec * static_cast<int>(sizeof(T)));

/// What a block has: a tile of a sample, and some of its positions. Tiles of one part are
/// neighbours in the grid, as they are in memory.
struct BlockPart {
  ColumnTile tile;
  int part;
  std::int64_t begin;
  int positions;

  __device__ __forceinline__ BlockPart(const ColumnGeometry& geometry, const ColumnSplit& split,
                                       std::int64_t index)
      : BlockPart(geometry, split, index / split.tiles.count,
                  static_cast<int>(index % split.tiles.count)) {}

 private:
  __device__ __forceinline__ BlockPart(const ColumnGeometry& geometry, const ColumnSplit& split,
                                       std::int64_t sample_part, int tile_of)
      : tile(geometry, split.tiles, sample_part / split.parts, tile_of),
        part(static_cast<int>(sample_part % split.parts)),
        begin(part * split.part_len) {
    const std::int64_t left = geometry.positions - begin;
    positions = static_cast<int>(left < split.part_len ? left : split.part_len);
  }
};

/// Slots of a sample: [part][piece].
__device__ __forceinline__ std::int64_t slot_of(const ColumnGeometry& geometry,
                                                const ColumnSplit& split, std::int64_t sample,
                                                int part, std::int64_t piece) {
  return (sample * split.parts + part) * split.tiles.pieces(geometry.groups) + piece;
}

/// Calls function(position, step, h) with the thread's positions of the part, several at a time.
template <class T, int kVec, class Function>
__device__ __forceinline__ void each_position(const ColumnParams& params, const BlockPart& block,
                                              const ColumnThread<kVec>& thread, CachePolicy hint,
                                              Function&& function) {
  using Acc = Accumulator<T>;
  const ColumnGeometry& geometry = params.geometry;
  const RowInput<T> input(params, block.tile.sample * geometry.x_sample +
                                      block.begin * geometry.x_position + block.tile.begin +
                                      thread.column);
  const auto load_positions = [&](int position, auto& values) {
    constexpr int kPositions = static_cast<int>(sizeof values / sizeof(Acc)) / kVec;
    input.template load_apart<kVec, kPositions>(
        position * geometry.x_position, thread.position_step * geometry.x_position, hint, values);
  };
  int position = thread.first_position;
  constexpr int kUnroll = unroll<T, kVec>;
  for (; position + (kUnroll - 1) * thread.position_step < block.positions;
       position += kUnroll * thread.position_step) {
    Acc values[kUnroll * kVec];
    load_positions(position, values);
    function(position, values);
  }
#pragma unroll 1
  for (; position < block.positions; position += thread.position_step) {
    Acc values[kVec];
    load_positions(position, values);
    function(position, values);
  }
}

template <class T, int kVec>
__global__ void __launch_bounds__(512)
    split_columns_statistics_kernel(const __grid_constant__ ColumnParams params,
                                    const __grid_constant__ ColumnSplit split,
                                    PartMoments<Accumulator<T>>* slots) {
  using Acc = Accumulator<T>;
  extern __shared__ __align__(16) unsigned char shared[];
  auto* const of_columns = reinterpret_cast<PartMoments<Acc>*>(shared);
  const BlockPart block(params.geometry, split, blockIdx.x);
  const int warp = static_cast<int>(threadIdx.x / 32);
  const ColumnThread<kVec> thread(split.threads, warp);

  ColumnMoments<Acc, kVec> moments;
  if (thread.column < block.tile.columns) {
    each_position<T>(
        params, block, thread, CachePolicy(params.cache.load), [&](int, const auto& values) {
          constexpr int kPositions = static_cast<int>(sizeof values / sizeof(Acc)) / kVec;
          moments.template add<kPositions>(values);
          moments.settle_many();
        });
  }
  moments.settle();
  share_columns(moments, split.threads, thread, block.tile.columns, split.tiles.width, of_columns);
  __syncthreads();
  each_piece(params.geometry, block.tile, split.threads, 0, split.tiles.width, warp, of_columns,
             [&](int piece, const PartMoments<Acc>& of_piece) {
               slots[slot_of(params.geometry, split, block.tile.sample, block.part,
                             std::int64_t{block.tile.first_group} + piece + block.tile.tile)] =
                   of_piece;
             });
}

/// The statistics of the tile's groups, from all parts and pieces of each.
template <class Acc>
__device__ __forceinline__ void join_pieces(const ColumnParams& params, const ColumnSplit& split,
                                            const BlockPart& block, int warp,
                                            const PartMoments<Acc>* slots,
                                            RowStatistics<Acc>* of_pieces) {
  const ColumnGeometry& geometry = params.geometry;
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int width = 1 << split.threads.log2_group_lanes;
  const int at_once = 32 >> split.threads.log2_group_lanes;
  const int of_group = lane & (width - 1);
  const auto group_width = static_cast<std::int64_t>(geometry.group_width.divisor());
  for (int first = warp * at_once; first < block.tile.pieces;
       first += split.threads.warps() * at_once) {
    const int piece = first + (lane >> split.threads.log2_group_lanes);
    const std::int64_t group = std::int64_t{block.tile.first_group} + piece;
    PartMoments<Acc> mine;
    if (piece < block.tile.pieces) {
      const std::int64_t last_column = (group + 1) * group_width - 1;
      const std::int64_t last_tile = last_column / split.tiles.width;
      for (std::int64_t tile = group * group_width / split.tiles.width; tile <= last_tile; ++tile) {
        for (int part = of_group; part < split.parts; part += width) {
          mine =
              merge(mine, slots[slot_of(geometry, split, block.tile.sample, part, group + tile)]);
        }
      }
    }
    const auto statistics =
        finish(merge_lanes(mine, width), params.statistics, static_cast<Acc>(params.eps));
    if (piece < block.tile.pieces && of_group == 0) {
      of_pieces[piece] = statistics;
      // Of the blocks that know it, the one that has the group's first column and position.
      const bool begins_here = group * group_width >= block.tile.begin;
      if (begins_here && block.part == 0) {
        write_statistics(params, block.tile.sample * geometry.groups + group, statistics);
      }
    }
  }
}

template <class T, int kVec, RowForm kForm>
__global__ void __launch_bounds__(512)
    split_columns_apply_kernel(const __grid_constant__ ColumnParams params,
                               const __grid_constant__ ColumnSplit split,
                               const PartMoments<Accumulator<T>>* slots) {
  using Acc = Accumulator<T>;
  extern __shared__ __align__(16) unsigned char shared[];
  auto* const of_pieces = reinterpret_cast<RowStatistics<Acc>*>(shared);
  const bool backward = params.cache.second_read == WalkOrder::backward;
  const BlockPart block(params.geometry, split, backward ? gridDim.x - 1 - blockIdx.x : blockIdx.x);
  const int warp = static_cast<int>(threadIdx.x / 32);
  const ColumnThread<kVec> thread(split.threads, warp);
  join_pieces(params, split, block, warp, slots, of_pieces);
  __syncthreads();
  if (thread.column >= block.tile.columns) return;

  const ColumnOutput<T, kForm, kVec> output(params, block.tile, thread.column, of_pieces);
  const ColumnGeometry& geometry = params.geometry;
  const std::int64_t x_begin =
      block.tile.sample * geometry.x_sample + block.tile.begin + thread.column;
  each_position<T>(params, block, thread, CachePolicy(params.cache.last_load()),
                   [&](int position, auto& values) {
                     constexpr int kPositions =
                         static_cast<int>(sizeof values / sizeof(Acc)) / kVec;
                     output.template write<kPositions>(x_begin, block.begin + position,
                                                       thread.position_step, values);
                   });
}

template <int kVec, class T>
SplitColumnsKernels kernels_of(RowForm form) {
  SplitColumnsKernels kernels;
  kernels.statistics = reinterpret_cast<const void*>(&split_columns_statistics_kernel<T, kVec>);
  kernels.apply = with_form<T, kVec>(form, [](auto in_form) {
    return reinterpret_cast<const void*>(
        &split_columns_apply_kernel<T, kVec, decltype(in_form)::value>);
  });
  return kernels;
}

}  // namespace

SplitColumnsKernels split_columns_kernels(DType type, int vec_width, RowForm form) {
  return with_element(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return vec_width == 1 ? kernels_of<1, T>(form) : kernels_of<column_vec<T>, T>(form);
  });
}

SplitColumnsShared split_columns_shared(DType type, const ColumnSplit& split, int most_pieces) {
  return with_element(type, [&](auto tag) {
    using Acc = Accumulator<typename decltype(tag)::type>;
    SplitColumnsShared bytes;
    bytes.statistics = split.threads.position_warps * split.tiles.width *
                       static_cast<int>(sizeof(PartMoments<Acc>));
    bytes.apply = most_pieces * static_cast<int>(sizeof(RowStatistics<Acc>));
    return bytes;
  });
}

}  // namespace fastnorm::cuda
