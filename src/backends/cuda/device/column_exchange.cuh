// SPDX-License-Identifier: Apache-2.0
/// The exchange of strategy stream_columns: from each block's moments of a tile's groups to the
/// groups' statistics in every block of the team.
#pragma once

#include "backends/cuda/device/barrier.cuh"
#include "backends/cuda/device/column_barriers.cuh"
#include "backends/cuda/device/column_mailbox.cuh"
#include "backends/cuda/device/column_stream_tile.cuh"
#include "backends/cuda/device/partial_message.cuh"
#include "backends/cuda/device/row_output.cuh"
#include "backends/cuda/stream_columns_kernel.hpp"

#include <cstdint>

namespace fastnorm::cuda {

#if __CUDA_ARCH__ >= 900

/// Statistics of two tiles are kept: those of the one that is being written, and the next one's.
///
/// Warps of the statistics send, warps of their own receive, and those of the output wait for the
/// result alone: a tile's exchange takes place while the one before is written and the next one is
/// read.
template <class T>
class ColumnExchange {
 public:
  using Acc = Accumulator<T>;

  __device__ __forceinline__ ColumnExchange(const ColumnParams& params, const ColumnStream& stream,
                                            PartialMessage* messages, ColumnBarriers& barriers,
                                            unsigned char* shared, int rank)
      : params_(params),
        geometry_(params.geometry),
        stream_(stream),
        messages_(messages),
        barriers_(barriers),
        of_groups_(reinterpret_cast<RowStatistics<Acc>*>(shared + stream.groups_at)),
        mailbox_(shared + stream.mailbox_at, stream.pieces,
                 static_cast<int>(stream.blocks_per_tile.divisor())),
        blocks_per_tile_(static_cast<int>(stream.blocks_per_tile.divisor())),
        rank_(rank) {}

  /// By one thread, before the block meets.
  __device__ __forceinline__ void initialise() const {
    const int who_knows = is_alone() ? stream_.statistics.warps() : column_exchange_warps;
    for (int place = 0; place < column_statistics_places; ++place) {
      barriers_.known[place].initialise(32 * who_knows);
      barriers_.taken[place].initialise(32 * stream_.output.warps());
    }
    if (in_cluster()) mailbox_.initialise();
  }

  __device__ __forceinline__ bool in_cluster() const {
    return stream_.exchange == Exchange::cluster;
  }

  /// The block's moments of a tile's groups, to those who receive. By all lanes of the warps of the
  /// statistics, once all have shared theirs (share_columns).
  __device__ __forceinline__ void send(const StreamTile& part, int number, int first_warp, int warp,
                                       const PartMoments<Acc>* of_columns) const {
    if (is_alone()) {
      // They become the statistics at once.
      await_place(number);
    } else if (in_cluster() && number > 0) {
      // column_mailbox_places says what that is for.
      await_known(number - 1);
    }
    PartialMessage* const messages = messages_ + part.unit * stream_.unit_messages();
    each_piece(geometry_, part.tile, stream_.statistics, first_warp, stream_.tiles.width, warp,
               of_columns, [&](int piece, const PartMoments<Acc>& moments) {
                 if (is_alone()) {
                   know(part, number, piece, moments);
                 } else if (in_cluster()) {
                   mailbox_.send(number, piece, rank_, PartialMessage::of(moments));
                 } else {
                   PartialMessage::of(moments).send(messages + piece * blocks_per_tile_ + rank_);
                 }
               });
    if (is_alone()) barriers_.known[place_of(number)].arrive();
  }

  /// By all lanes of exchange warp `warp`, for one tile after the other.
  __device__ __forceinline__ void receive_tile(const StreamTile& part, int number, int warp) const {
    if (is_alone()) return;
    if (in_cluster()) {
      receive_in_cluster(part, number, warp);
    } else {
      receive_in_memory(part, number, warp);
    }
    barriers_.known[place_of(number)].arrive();
  }

  /// The statistics of the tile's groups, once they are there. By the warps of the output, which
  /// call take() when they have read them.
  __device__ __forceinline__ const RowStatistics<Acc>* await(int number) const {
    await_known(number);
    return of_groups(number);
  }
  __device__ __forceinline__ void take(int number) const {
    barriers_.taken[place_of(number)].arrive();
  }

 private:
  __device__ __forceinline__ bool is_alone() const { return blocks_per_tile_ == 1; }

  static __device__ __forceinline__ int place_of(int number) {
    return number % column_statistics_places;
  }
  static __device__ __forceinline__ unsigned int parity_of(int number) {
    return static_cast<unsigned int>(number / column_statistics_places) % 2;
  }
  __device__ __forceinline__ RowStatistics<Acc>* of_groups(int number) const {
    return of_groups_ + place_of(number) * stream_.pieces;
  }
  __device__ __forceinline__ void await_known(int number) const {
    barriers_.known[place_of(number)].wait(parity_of(number));
  }
  /// Until the output has taken what is to be overwritten.
  __device__ __forceinline__ void await_place(int number) const {
    barriers_.taken[place_of(number)].wait(parity_of(number) ^ 1);
  }

  __device__ __forceinline__ Acc count_of(int sender) const {
    return static_cast<Acc>(geometry_.group_width.divisor()) *
           static_cast<Acc>(StreamPart::positions_of(geometry_, stream_, sender));
  }

  __device__ __forceinline__ void receive_in_cluster(const StreamTile& part, int number,
                                                     int warp) const {
    const int lane = static_cast<int>(threadIdx.x % 32);
    if (warp == 0 && lane == 0) mailbox_.expect(number, part.tile.pieces);
    const bool is_sender = lane < blocks_per_tile_;
    const Acc counts[1] = {is_sender ? count_of(lane) : Acc{0}};
    mailbox_.await(number);
    await_place(number);
    for (int piece = warp; piece < part.tile.pieces; piece += column_exchange_warps) {
      const PartialMessage held[1] = {is_sender ? mailbox_.of_piece(number, piece)[lane]
                                                : PartialMessage{}};
      const PartMoments<Acc> moments = merge_messages(held, counts, blocks_per_tile_);
      if (lane == 0) know(part, number, piece, moments);
    }
    __syncwarp();
  }

  /// In two steps: for each group one block of the team merges what all have sent, and all read the
  /// result. If each read everything, the L2 would serve little else.
  __device__ __forceinline__ void receive_in_memory(const StreamTile& part, int number,
                                                    int warp) const {
    PartialMessage* const messages = messages_ + part.unit * stream_.unit_messages();
    PartialMessage* const results = messages + stream_.pieces * blocks_per_tile_;
    const int lane = static_cast<int>(threadIdx.x % 32);
    for (int piece = rank_ + warp * blocks_per_tile_; piece < part.tile.pieces;
         piece += column_exchange_warps * blocks_per_tile_) {
      const PartMoments<Acc> moments =
          receive<most_team_blocks, Acc>(messages + piece * blocks_per_tile_, blocks_per_tile_,
                                         [this](int sender) { return count_of(sender); });
      if (lane == 0) PartialMessage::of(moments).send(results + piece);
    }
    await_place(number);
    const Acc count =
        static_cast<Acc>(geometry_.group_width.divisor()) * static_cast<Acc>(geometry_.positions);
    for (int piece = 32 * warp + lane; piece < part.tile.pieces;
         piece += 32 * column_exchange_warps) {
      PartialMessage result = PartialMessage::poll(results + piece);
      while (!result.has_come()) result = PartialMessage::poll(results + piece);
      const Acc pivot = static_cast<Acc>(result.mean);
      know(part, number, piece,
           {pivot, static_cast<Acc>(result.mean - pivot), static_cast<Acc>(result.m2), count});
    }
    __syncwarp();
  }

  __device__ __forceinline__ void know(const StreamTile& part, int number, int piece,
                                       const PartMoments<Acc>& moments) const {
    const auto statistics = finish(moments, params_.statistics, static_cast<Acc>(params_.eps));
    of_groups(number)[piece] = statistics;
    if (rank_ == 0) {
      const std::int64_t group = std::int64_t{part.tile.first_group} + piece;
      write_statistics(params_, part.tile.sample * geometry_.groups + group, statistics);
    }
  }

  const ColumnParams& params_;
  const ColumnGeometry& geometry_;
  const ColumnStream& stream_;
  PartialMessage* const messages_;
  ColumnBarriers& barriers_;
  RowStatistics<Acc>* const of_groups_;
  const ColumnMailbox mailbox_;
  const int blocks_per_tile_;
  const int rank_;
};

#endif

}  // namespace fastnorm::cuda
