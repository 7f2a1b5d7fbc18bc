/// A persistent grid through which tiles of columns stream: each is read once, held in the shared
/// memory of its team's blocks until the statistics of its groups are known, and written from
/// there.
///
/// One warp loads, as far ahead as a ring of slots allows; all others take the moments of what has
/// come, then write it. While a tile waits for its statistics, the next one is loading, and so are
/// the other blocks of the processor.
#pragma once

#include "backends/cuda/device/barrier.cuh"
#include "backends/cuda/device/column_mailbox.cuh"
#include "backends/cuda/device/column_moments.cuh"
#include "backends/cuda/device/column_output.cuh"
#include "backends/cuda/device/exchange_delays.cuh"
#include "backends/cuda/device/partial_message.cuh"
#include "backends/cuda/device/row_input.cuh"
#include "backends/cuda/device/stream_place.cuh"
#include "backends/cuda/stream_columns_kernel.hpp"

#include <cstdint>

namespace fastnorm::cuda {

/// What a block shares before everything else.
struct ColumnControl {
  Barrier full[most_column_slots];   ///< A slot's chunk has come.
  Barrier empty[most_column_slots];  ///< Nobody needs it any more: every lane says so.
};

#if __CUDA_ARCH__ >= 900

/// A tile as one block of its team meets it.
struct StreamTile {
  ColumnTile tile;
  std::int64_t unit;
  int chunks;    ///< Of the block.
  int released;  ///< Of them, those that are loaded once more for the output.

  __device__ __forceinline__ StreamTile(const ColumnGeometry& geometry, const ColumnStream& stream,
                                        int rank, std::int64_t unit_of)
      : tile(geometry, stream.tiles, unit_of / stream.tiles.count,
             static_cast<int>(unit_of % stream.tiles.count)),
        unit(unit_of),
        chunks(chunks_of(geometry, stream, rank)),
        released(chunks > stream.kept ? chunks - stream.kept : 0) {}

  static __device__ __forceinline__ int all_chunks(const ColumnGeometry& geometry,
                                                   const ColumnStream& stream) {
    return static_cast<int>(stream.chunk_positions.quotient(
        static_cast<std::uint32_t>(geometry.positions) + stream.chunk_positions.divisor() - 1));
  }
  static __device__ __forceinline__ int chunks_of(const ColumnGeometry& geometry,
                                                  const ColumnStream& stream, int rank) {
    const auto blocks = stream.blocks_per_tile.divisor();
    return static_cast<int>(
        stream.blocks_per_tile.quotient(static_cast<std::uint32_t>(all_chunks(geometry, stream)) +
                                        blocks - 1 - static_cast<std::uint32_t>(rank)));
  }

  /// Positions whose moments block `rank` takes.
  static __device__ __forceinline__ int positions_of(const ColumnGeometry& geometry,
                                                     const ColumnStream& stream, int rank) {
    const int chunk_len = static_cast<int>(stream.chunk_positions.divisor());
    const int blocks = static_cast<int>(stream.blocks_per_tile.divisor());
    const int count = chunks_of(geometry, stream, rank);
    const int last = ((count - 1) * blocks + rank) * chunk_len;
    const int left = static_cast<int>(geometry.positions) - last;
    return (count - 1) * chunk_len + (left < chunk_len ? left : chunk_len);
  }

  /// The chunk that is written after `i` others: those that were held come before those that come
  /// again, the latest first, since the L2 has it with the best chance.
  __device__ __forceinline__ int chunk_written(int i) const {
    const int held = chunks - released;
    return i < held ? released + i : chunks - 1 - i;
  }
};

/// Delays: see exchange_delays.cuh.
template <class T, RowForm kForm, class Delays = NoDelays>
class ColumnStreamBlock {
 public:
  using Acc = Accumulator<T>;
  static constexpr int kVec = column_vec<T>;
  using Vector = Packed<T, kVec>;
  /// Positions that a thread reads before it uses the first.
  static constexpr int moments_unroll = 4;
  static constexpr int output_unroll = kForm == RowForm::plain ? 4 : 2;

  __device__ __forceinline__ ColumnStreamBlock(const ColumnParams& params,
                                               const ColumnStream& stream, PartialMessage* messages,
                                               unsigned char* shared, const Delays& delays = {})
      : params_(params),
        geometry_(params.geometry),
        stream_(stream),
        messages_(messages),
        control_(*reinterpret_cast<ColumnControl*>(shared)),
        of_columns_(reinterpret_cast<PartMoments<Acc>*>(shared + stream.columns_at)),
        of_groups_(reinterpret_cast<RowStatistics<Acc>*>(shared + stream.groups_at)),
        mailbox_(shared + stream.mailbox_at, stream.pieces,
                 static_cast<int>(stream.blocks_per_tile.divisor())),
        ring_(reinterpret_cast<T*>(shared + stream.ring_at)),
        has_residual_(kForm == RowForm::fused && params.residual != Residual::none),
        chunk_positions_(static_cast<int>(stream.chunk_positions.divisor())),
        blocks_per_tile_(static_cast<int>(stream.blocks_per_tile.divisor())),
        team_(static_cast<int>(stream.blocks_per_tile.quotient(blockIdx.x))),
        rank_(static_cast<int>(blockIdx.x) - team_ * blocks_per_tile_),
        delays_(delays) {}

  __device__ __forceinline__ void run() {
    if (threadIdx.x == 0) {
      for (int s = 0; s < stream_.slots; ++s) {
        control_.full[s].initialise(1);
        control_.empty[s].initialise(32 * stream_.threads.column_warps);
      }
      if (in_cluster()) mailbox_.initialise();
      Barrier::publish_initialisations();
    }
    __syncthreads();
    if (in_cluster()) ClusterMailbox::announce();
    const int warp = static_cast<int>(threadIdx.x / 32);
    if (warp == stream_.threads.warps()) {
      load();
      __syncwarp();
      if (in_cluster()) ClusterMailbox::await_others();
    } else {
      normalise(warp);
    }
    if (in_cluster()) ClusterMailbox::leave();
  }

 private:
  __device__ __forceinline__ bool in_cluster() const {
    return stream_.exchange == Exchange::cluster;
  }

  /// x's part of a slot, and the residual's.
  __device__ __forceinline__ T* slot_x(int slot) const {
    return ring_ + slot * chunk_positions_ * stream_.tiles.width * (has_residual_ ? 2 : 1);
  }
  __device__ __forceinline__ T* slot_residual(int slot) const {
    return slot_x(slot) + chunk_positions_ * stream_.tiles.width;
  }

  /// Calls function(unit, number): the team's tiles, numbered.
  template <class Function>
  __device__ __forceinline__ void each_unit(Function&& function) const {
    int number = 0;
    for (std::int64_t unit = team_; unit < stream_.units; unit += stream_.teams) {
      function(unit, number++);
    }
  }

  __device__ __forceinline__ int first_position(int chunk) const {
    return (chunk * blocks_per_tile_ + rank_) * chunk_positions_;
  }
  __device__ __forceinline__ int positions_from(int first) const {
    return min(chunk_positions_, static_cast<int>(geometry_.positions) - first);
  }

  // One warp: every chunk of a tile for its moments, then those again that were not held.
  __device__ void load() {
    const CachePolicy wanted(params_.cache.load);
    const CachePolicy keep(LoadPriority::evict_last);
    const CachePolicy drop(LoadPriority::evict_first);
    Place place{0, 1};
    each_unit([&](std::int64_t unit, int) {
      const StreamTile part(geometry_, stream_, rank_, unit);
      for (int chunk = 0; chunk < part.chunks; ++chunk) {
        const bool held = chunk >= part.released;
        const bool cached = chunk >= part.released - stream_.cached;
        load_chunk(part, chunk, place, held ? wanted : (cached ? keep : drop));
      }
      for (int i = part.chunks - part.released; i < part.chunks; ++i) {
        load_chunk(part, part.chunk_written(i), place, drop);
      }
    });
  }

  __device__ __forceinline__ void load_chunk(const StreamTile& part, int chunk, Place& place,
                                             CachePolicy hint) {
    const int first = first_position(chunk);
    const int positions = positions_from(first);
    const std::int64_t at =
        part.tile.sample * geometry_.x_sample + part.tile.begin + first * geometry_.x_position;
    const unsigned int position_bytes =
        static_cast<unsigned int>(part.tile.columns) * static_cast<unsigned int>(sizeof(T));
    Barrier& full = control_.full[place.slot];
    delays_.before_load();
    control_.empty[place.slot].wait(place.parity);
    if (threadIdx.x % 32 == 0) {
      full.arrive_expecting(static_cast<unsigned int>(positions) * position_bytes *
                            (has_residual_ ? 2 : 1));
    }
    __syncwarp();
    copy(full, slot_x(place.slot), static_cast<const T*>(params_.tensors.x) + at, positions,
         position_bytes, hint);
    if (has_residual_) {
      copy(full, slot_residual(place.slot), static_cast<const T*>(params_.tensors.residual) + at,
           positions, position_bytes, hint);
    }
    place.advance(1, stream_.slots);
  }

  /// By one lane where positions follow each other in memory as they do in a slot, else by all.
  __device__ __forceinline__ void copy(Barrier& full, T* to, const T* from, int positions,
                                       unsigned int position_bytes, CachePolicy hint) const {
    const int lane = static_cast<int>(threadIdx.x % 32);
    if (geometry_.x_position == stream_.tiles.width) {
      if (lane == 0) {
        full.copy(to, from, static_cast<unsigned int>(positions) * position_bytes, hint);
      }
      return;
    }
    for (int p = lane; p < positions; p += 32) {
      full.copy(to + p * stream_.tiles.width, from + p * geometry_.x_position, position_bytes,
                hint);
    }
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
    const T* const x = slot_x(slot) + thread.column;
    const T* const residual = slot_residual(slot) + thread.column;
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
    for (; position + (kUnroll - 1) * thread.warp_positions < positions;
         position += kUnroll * thread.warp_positions) {
      Acc values[kUnroll * kVec];
      read(position, values);
      function(position, values);
    }
#pragma unroll 1
    for (; position < positions; position += thread.warp_positions) {
      Acc values[kVec];
      read(position, values);
      function(position, values);
    }
  }

  /// All warps but the one that loads.
  __device__ __forceinline__ void meet() const {
    asm volatile("bar.sync 1, %0;" ::"r"(32 * stream_.threads.warps()) : "memory");
  }

  __device__ void normalise(int warp) {
    const ColumnThread<kVec> thread(stream_.threads, warp);
    const RowInput<T, kForm> input(params_, 0);
    const int position_warps = stream_.threads.position_warps;
    Place next{thread.position_warp, 0};  // The warp's next chunk,
    int turn = thread.position_warp;      // so many loads from the tile's first one.
    bool others_run = !in_cluster();
    each_unit([&](std::int64_t unit, int number) {
      const StreamTile part(geometry_, stream_, rank_, unit);
      const bool has_columns = thread.column < part.tile.columns;

      ColumnMoments<Acc, kVec> moments;
      Place place = next;
      for (int chunk = turn; chunk < part.chunks; chunk += position_warps) {
        control_.full[place.slot].wait(place.parity);
        if (has_columns) {
          each_position<moments_unroll>(
              input, thread, place.slot, positions_from(first_position(chunk)),
              [&](int, const auto& values) {
                constexpr int kPositions = static_cast<int>(sizeof values / sizeof(Acc)) / kVec;
                moments.template add<kPositions>(values);
              });
          moments.settle();
        }
        if (chunk < part.released) control_.empty[place.slot].arrive();
        place.advance(position_warps, stream_.slots);
      }
      share_columns(moments, stream_.threads, thread, part.tile.columns, stream_.tiles.width,
                    of_columns_);
      if (!others_run) {
        ClusterMailbox::await_others();
        others_run = true;
      }
      meet();
      // Whose warp has the tile's first chunk.
      const int first_warp =
          (thread.position_warp + position_warps - turn % position_warps) % position_warps;
      exchange(part, number, first_warp, warp);
      meet();
      write(part, thread, input, next, turn);
    });
    if (!others_run) ClusterMailbox::await_others();
  }

  /// The groups' statistics, from the parts of all blocks of the team.
  __device__ __forceinline__ void exchange(const StreamTile& part, int number, int first_warp,
                                           int warp) {
    PartialMessage* const messages = messages_ + part.unit * stream_.unit_messages();
    delays_.before_send();
    if (in_cluster() && threadIdx.x == 0) mailbox_.expect(number, part.tile.pieces);
    each_piece(geometry_, part.tile, stream_.threads, first_warp, stream_.tiles.width, warp,
               of_columns_, [&](int piece, const PartMoments<Acc>& moments) {
                 if (blocks_per_tile_ == 1) {
                   know(part, piece, moments);
                 } else if (in_cluster()) {
                   mailbox_.send(number, piece, rank_, PartialMessage::of(moments));
                 } else {
                   PartialMessage::of(moments).send(messages + piece * blocks_per_tile_ + rank_);
                 }
               });
    if (blocks_per_tile_ == 1) return;
    __syncwarp();
    delays_.before_receive();
    if (in_cluster()) {
      receive_in_cluster(part, number, warp);
    } else {
      receive_in_memory(part, messages, warp);
    }
  }

  __device__ __forceinline__ Acc count_of(int sender) const {
    return static_cast<Acc>(geometry_.group_width.divisor()) *
           static_cast<Acc>(StreamTile::positions_of(geometry_, stream_, sender));
  }

  __device__ __forceinline__ void receive_in_cluster(const StreamTile& part, int number, int warp) {
    mailbox_.await(number);
    const int lane = static_cast<int>(threadIdx.x % 32);
    const bool is_sender = lane < blocks_per_tile_;
    const Acc counts[1] = {is_sender ? count_of(lane) : Acc{0}};
    for (int piece = warp; piece < part.tile.pieces; piece += stream_.threads.warps()) {
      const PartialMessage held[1] = {is_sender ? mailbox_.of_piece(number, piece)[lane]
                                                : PartialMessage{}};
      const PartMoments<Acc> moments = merge_messages(held, counts, blocks_per_tile_);
      if (lane == 0) know(part, piece, moments);
    }
  }

  /// In two steps: for each group one block of the team merges what all have sent, and all read the
  /// result. If each read everything, the L2 would serve little else.
  __device__ __forceinline__ void receive_in_memory(const StreamTile& part,
                                                    PartialMessage* messages, int warp) {
    PartialMessage* const results = messages + stream_.pieces * blocks_per_tile_;
    const int warps = stream_.threads.warps();
    for (int piece = rank_ + warp * blocks_per_tile_; piece < part.tile.pieces;
         piece += warps * blocks_per_tile_) {
      const PartMoments<Acc> moments =
          receive<most_team_blocks, Acc>(messages + piece * blocks_per_tile_, blocks_per_tile_,
                                         [this](int sender) { return count_of(sender); });
      if (threadIdx.x % 32 == 0) PartialMessage::of(moments).send(results + piece);
    }
    const Acc count =
        static_cast<Acc>(geometry_.group_width.divisor()) * static_cast<Acc>(geometry_.positions);
    for (int piece = static_cast<int>(threadIdx.x); piece < part.tile.pieces; piece += 32 * warps) {
      PartialMessage result = PartialMessage::poll(results + piece);
      while (!result.has_come()) result = PartialMessage::poll(results + piece);
      const Acc pivot = static_cast<Acc>(result.mean);
      know(part, piece,
           {pivot, static_cast<Acc>(result.mean - pivot), static_cast<Acc>(result.m2), count});
    }
    __syncwarp();
  }

  __device__ __forceinline__ void know(const StreamTile& part, int piece,
                                       const PartMoments<Acc>& moments) const {
    const auto statistics = finish(moments, params_.statistics, static_cast<Acc>(params_.eps));
    of_groups_[piece] = statistics;
    if (rank_ == 0) {
      const std::int64_t group = std::int64_t{part.tile.first_group} + piece;
      write_statistics(params_, part.tile.sample * geometry_.groups + group, statistics);
    }
  }

  /// And on to the warp's first chunk of the next tile.
  __device__ __forceinline__ void write(const StreamTile& part, const ColumnThread<kVec>& thread,
                                        const RowInput<T, kForm>& input, Place& place, int& turn) {
    const int position_warps = stream_.threads.position_warps;
    for (; turn < part.released; turn += position_warps) {
      place.advance(position_warps, stream_.slots);
    }
    const int loads = part.chunks + part.released;
    if (thread.column < part.tile.columns) {
      const ColumnOutput<T, kForm, kVec> output(params_, part.tile, thread.column, of_groups_);
      const std::int64_t x_begin =
          part.tile.sample * geometry_.x_sample + part.tile.begin + thread.column;
      for (; turn < loads; turn += position_warps) {
        const int first = first_position(part.chunk_written(turn - part.released));
        control_.full[place.slot].wait(place.parity);
        delays_.before_write();
        each_position<output_unroll>(
            input, thread, place.slot, positions_from(first), [&](int position, auto& values) {
              constexpr int kPositions = static_cast<int>(sizeof values / sizeof(Acc)) / kVec;
              output.template write<kPositions>(x_begin, first + position, thread.warp_positions,
                                                values);
            });
        control_.empty[place.slot].arrive();
        place.advance(position_warps, stream_.slots);
      }
    } else {
      for (; turn < loads; turn += position_warps) {
        control_.full[place.slot].wait(place.parity);
        control_.empty[place.slot].arrive();
        place.advance(position_warps, stream_.slots);
      }
    }
    turn -= loads;
  }

  const ColumnParams& params_;
  const ColumnGeometry& geometry_;
  const ColumnStream& stream_;
  PartialMessage* const messages_;
  ColumnControl& control_;
  PartMoments<Acc>* const of_columns_;   ///< See share_columns.
  RowStatistics<Acc>* const of_groups_;  ///< Of the tile's groups.
  const ColumnMailbox mailbox_;
  T* const ring_;
  const bool has_residual_;
  const int chunk_positions_;
  const int blocks_per_tile_;
  const int team_;
  const int rank_;
  Delays delays_;
};

#endif

}  // namespace fastnorm::cuda
