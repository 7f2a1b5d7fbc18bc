// SPDX-License-Identifier: Apache-2.0
/// A persistent grid through which tiles of columns stream: each is read once, held in the shared
/// memory of its team's blocks until the statistics of its groups are known, and written from
/// there.
///
/// A block's warps have a task each: some take the moments of what has come, some exchange those
/// with the other blocks, some write what is known, and some load, as far ahead as the slots allow.
/// None waits for the others of its tile: while one tile is written, the next one's moments go
/// round and the one after that is read.
#pragma once

#include "backends/cuda/device/column_exchange.cuh"
#include "backends/cuda/device/column_moments.cuh"
#include "backends/cuda/device/column_output.cuh"
#include "backends/cuda/device/column_ring.cuh"
#include "backends/cuda/device/column_stream_tile.cuh"
#include "backends/cuda/device/exchange_delays.cuh"
#include "backends/cuda/device/row_input.cuh"
#include "backends/cuda/stream_columns_kernel.hpp"

#include <cstdint>
#include <type_traits>

namespace fastnorm::cuda {

#if __CUDA_ARCH__ >= 900

/// Delays: see exchange_delays.cuh.
template <class T, RowForm kForm, class Delays = NoDelays>
class ColumnStreamBlock {
 public:
  using Acc = Accumulator<T>;

  __device__ __forceinline__ ColumnStreamBlock(const ColumnParams& params,
                                               const ColumnStream& stream, PartialMessage* messages,
                                               unsigned char* shared, const Delays& delays = {})
      : params_(params),
        stream_(stream),
        of_columns_(reinterpret_cast<PartMoments<Acc>*>(shared + stream.columns_at)),
        has_residual_(kForm == RowForm::fused && params.residual != Residual::none),
        team_(stream),
        part_(params.geometry, stream, team_.rank),
        delays_(delays),
        ring_(params, stream, barriers_of(shared), shared, team_.rank, has_residual_),
        exchange_(params, stream, messages, barriers_of(shared), shared, team_.rank) {}

  __device__ __forceinline__ void run() {
    const int warp = static_cast<int>(threadIdx.x / 32);
    if (threadIdx.x % 32 == 0) {
      ring_.initialise();
      if (warp == 0) exchange_.initialise();
      Barrier::publish_initialisations();
    }
    __syncthreads();
    if (exchange_.in_cluster()) ClusterMailbox::announce();
    const int output = warp - stream_.statistics.warps();
    const int exchange = output - stream_.output.warps();
    const int loader = exchange - column_exchange_warps;
    if (output < 0) {
      take_moments(warp);
    } else {
      // Only who sends has to know that the others run.
      if (exchange_.in_cluster()) ClusterMailbox::await_others();
      if (exchange < 0) {
        write(output);
      } else if (loader < 0) {
        receive(exchange);
      } else {
        load(loader);
      }
    }
    if (exchange_.in_cluster()) {
      __syncwarp();
      ClusterMailbox::leave();
    }
  }

 private:
  static constexpr int kVec = column_vec<T>;
  using Vector = Packed<T, kVec>;
  using Output = ColumnOutput<T, kForm, kVec>;
  /// Positions that a thread reads before it uses the first: a processor has few warps that take
  /// moments, so that each has to have much to do at a time.
  static constexpr int moments_unroll = sizeof(T) == 2 ? 8 : 4;
  static constexpr int output_unroll = kForm == RowForm::plain ? 4 : 2;

  static __device__ __forceinline__ ColumnBarriers& barriers_of(unsigned char* shared) {
    return *reinterpret_cast<ColumnBarriers*>(shared);
  }

  /// Calls function(tile, number) for the team's tiles.
  template <class Function>
  __device__ __forceinline__ void each_tile(Function&& function) const {
    for (int number = 0; number < team_.tiles; ++number) {
      function(team_.tile(params_.geometry, stream_, number), number);
    }
  }

  /// Every chunk of a tile for its moments, then those again that were not held.
  __device__ __forceinline__ void load(int loader) {
    const CachePolicy wanted(params_.cache.load);
    const CachePolicy keep(LoadPriority::evict_last);
    const CachePolicy drop(LoadPriority::evict_first);
    const int passing = part_.passing();
    const int passes = part_.passes(stream_);
    ChunkWalk walk(0, 1);
    each_tile([&](const StreamTile& tile, int) {
      while (walk.held < part_.held || walk.ring.pass() < passes) {
        const bool is_held = walk.held < part_.held;
        const int pass = walk.ring.pass();
        const int chunk = is_held ? walk.held : part_.chunk_of_pass(pass);
        const Place place = place_of(walk, is_held);
        const bool is_once = is_held || !part_.comes_again(stream_);
        const bool is_kept = pass < passing && pass >= passing - stream_.cached;
        delays_.before_load();
        ring_.fill(tile, chunk, place, is_once ? wanted : (is_kept ? keep : drop), loader);
        walk.advance(is_held, stream_);
      }
      walk.finish_tile(part_, stream_);
    });
  }

  __device__ __forceinline__ void take_moments(int warp) {
    const ColumnThread<kVec> thread(stream_.statistics, warp);
    const RowInput<T, kForm> input(params_, 0);
    const int passing = part_.passing();
    const int passes = part_.passes(stream_);
    ChunkWalk walk(thread.position_warp, stream_.statistics.position_warps);
    bool others_run = !exchange_.in_cluster();
    each_tile([&](const StreamTile& tile, int number) {
      ColumnMoments<Acc, kVec> moments;
      while (walk.held < part_.held || walk.ring.pass() < passing) {
        const bool is_held = walk.held < part_.held;
        const int chunk = is_held ? walk.held : part_.chunk_of_pass(walk.ring.pass());
        const Place place = place_of(walk, is_held);
        ring_.await(place);
        if (thread.column < tile.tile.columns) {
          each_position<moments_unroll>(
              input, thread, place.slot, ring_.positions_from(ring_.first_position(chunk)),
              [&](int, const auto& values) {
                constexpr int kPositions = static_cast<int>(sizeof values / sizeof(Acc)) / kVec;
                moments.template add<kPositions>(values);
              });
          moments.settle_many();
        }
        if (is_held || !part_.comes_again(stream_)) {
          ring_.let_go(place);
        } else {
          ring_.let_go_for_all(place);
        }
        walk.advance(is_held, stream_);
      }
      moments.settle();
      meet();  // All have sent their share of the tile before.
      share_columns(moments, stream_.statistics, thread, tile.tile.columns, stream_.tiles.width,
                    of_columns_);
      if (!others_run) {
        ClusterMailbox::await_others();
        others_run = true;
      }
      meet();
      delays_.before_send();
      exchange_.send(tile, number, part_.first_warp(stream_, number), warp, of_columns_);
      // What comes again is let pass, one by one: of a barrier that had ended two phases meanwhile,
      // nobody could tell.
      for (; walk.ring.pass() < passes; walk.ring.advance(stream_)) {
        const Place place = place_of(walk, false);
        ring_.await(place);
        ring_.let_go(place);
      }
      walk.finish_tile(part_, stream_);
    });
    if (!others_run) ClusterMailbox::await_others();
  }

  __device__ __forceinline__ void receive(int warp) {
    each_tile([&](const StreamTile& tile, int number) {
      delays_.before_receive();
      exchange_.receive_tile(tile, number, warp);
    });
  }

  /// What came again last comes first, then what was held.
  __device__ __forceinline__ void write(int warp) {
    const ColumnThread<kVec> thread(stream_.output, warp);
    const RowInput<T, kForm> input(params_, 0);
    const int passes = part_.passes(stream_);
    ChunkWalk walk(thread.position_warp, stream_.output.position_warps);
    each_tile([&](const StreamTile& tile, int number) {
      const bool has_columns = thread.column < tile.tile.columns;
      const int column = has_columns ? thread.column : 0;
      const AffineValues<Acc, kVec> affine = Output::own_affine(params_, tile.tile, column);
      const RowStatistics<Acc>* const of_groups = exchange_.await(number);
      const Output output(params_, tile.tile, column, affine, [&](int k) {
        return of_groups[tile.tile.piece_of(params_.geometry, column + k)];
      });
      exchange_.take(number);
      const std::int64_t x_begin =
          tile.tile.sample * params_.geometry.x_sample + tile.tile.begin + thread.column;
      // Those that came for their moments only have come: the statistics are known.
      walk.ring.skip_to(passes - part_.passing(), stream_);
      while (walk.ring.pass() < passes || walk.held < part_.held) {
        const bool is_held = walk.ring.pass() >= passes;
        const int chunk = is_held ? walk.held : part_.chunk_of_pass(walk.ring.pass());
        const Place place = place_of(walk, is_held);
        const int first = ring_.first_position(chunk);
        ring_.await(place);
        delays_.before_write();
        if (has_columns) {
          each_position<output_unroll>(
              input, thread, place.slot, ring_.positions_from(first),
              [&](int position, auto& values) {
                constexpr int kPositions = static_cast<int>(sizeof values / sizeof(Acc)) / kVec;
                output.template write<kPositions>(x_begin, first + position, thread.warp_positions,
                                                  values);
              });
        }
        ring_.let_go(place);
        walk.advance(is_held, stream_);
      }
      walk.finish_tile(part_, stream_);
    });
  }

  /// The warps of the statistics.
  __device__ __forceinline__ void meet() const {
    asm volatile("bar.sync 1, %0;" ::"r"(32 * stream_.statistics.warps()) : "memory");
  }

  __device__ __forceinline__ Place place_of(const ChunkWalk& walk, bool is_held) const {
    return is_held ? ring_.of_held(walk.held, walk.tile) : ring_.of_ring(walk.ring.place());
  }

  /// One access of shared memory.
  static __device__ __forceinline__ Vector read_slot(const T* from) {
    Vector vector;
    const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(from));
    if constexpr (sizeof(Vector) == 16) {
      asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(vector.word.x), "=r"(vector.word.y), "=r"(vector.word.z),
                     "=r"(vector.word.w)
                   : "r"(address)
                   : "memory");
    } else {
      asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];"
                   : "=r"(vector.word.x), "=r"(vector.word.y)
                   : "r"(address)
                   : "memory");
    }
    return vector;
  }

  /// Calls function(position of the chunk, h) with the thread's positions, several at a time.
  template <int kUnroll, class Function>
  __device__ __forceinline__ void each_position(const RowInput<T, kForm>& input,
                                                const ColumnThread<kVec>& thread, int slot,
                                                int positions, Function&& function) const {
    const T* const x = ring_.x(slot) + thread.column;
    const T* const residual = ring_.residual(slot) + thread.column;
    const auto read = [&](int position, auto& values) {
      constexpr int kPositions = static_cast<int>(sizeof values / sizeof(Acc)) / kVec;
      const int at = position * stream_.tiles.width;
      const int step = thread.warp_positions * stream_.tiles.width;
#pragma unroll
      for (int u = 0; u < kPositions; ++u) unpack_into(read_slot(x + at + u * step), u, values);
      if (!has_residual_) return;
#pragma unroll
      for (int u = 0; u < kPositions; ++u) {
        Acc added[kVec];
        unpack(read_slot(residual + at + u * step), added);
#pragma unroll
        for (int k = 0; k < kVec; ++k) {
          values[u * kVec + k] = input.sum(values[u * kVec + k], added[k]);
        }
      }
    };
    int position = thread.lane_position;
    const auto pass_all = [&](auto at_once) {
      constexpr int kPositions = decltype(at_once)::value;
#pragma unroll 1
      for (; position + (kPositions - 1) * thread.warp_positions < positions;
           position += kPositions * thread.warp_positions) {
        Acc values[kPositions * kVec];
        read(position, values);
        function(position, values);
      }
    };
    pass_all(std::integral_constant<int, kUnroll>{});
    if constexpr (kUnroll > 4) pass_all(std::integral_constant<int, 4>{});
    pass_all(std::integral_constant<int, 1>{});
  }

  const ColumnParams& params_;
  const ColumnStream& stream_;
  PartMoments<Acc>* const of_columns_;  ///< See share_columns.
  const bool has_residual_;
  const StreamTeam team_;
  const StreamPart part_;
  Delays delays_;
  const ColumnRing<T> ring_;
  const ColumnExchange<T> exchange_;
};

#endif

}  // namespace fastnorm::cuda
