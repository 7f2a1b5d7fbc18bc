// SPDX-License-Identifier: Apache-2.0
/// A persistent grid through which rows stream: each is read once, held in the shared memory of its
/// team's blocks until its statistics are known, and written from there.
///
/// The warps of a block have one task each, and a ring of slots joins them: one loads, some take
/// moments of what has come, one exchanges the block's part with the rest of the team, and most
/// write rows that are one or several behind. While a row waits for its statistics, later ones are
/// loading.
#pragma once

#include "backends/cuda/device/barrier.cuh"
#include "backends/cuda/device/cluster_mailbox.cuh"
#include "backends/cuda/device/epilogue.cuh"
#include "backends/cuda/device/exchange_delays.cuh"
#include "backends/cuda/device/moments.cuh"
#include "backends/cuda/device/partial_message.cuh"
#include "backends/cuda/device/row_input.cuh"
#include "backends/cuda/device/row_output.cuh"
#include "backends/cuda/device/run_output.cuh"
#include "backends/cuda/device/span.cuh"
#include "backends/cuda/device/stream_place.cuh"
#include "backends/cuda/messages.hpp"
#include "backends/cuda/stream_row_kernel.hpp"

#include <cstdint>
#include <type_traits>

namespace fastnorm::cuda {

/// What a block shares beside its ring.
template <class Acc>
struct StreamControl {
  Barrier full[most_stream_slots];               ///< A slot's chunk has come.
  Barrier empty[most_stream_slots];              ///< Nobody needs it any more: every lane says so.
  Barrier moments_known[stream_rows_in_flight];  ///< Of the block's part of a row.
  Barrier row_known[stream_rows_in_flight];      ///< The row's statistics.
  PartMoments<Acc> of_warp[stream_rows_in_flight][most_statistics_warps];
  RowStatistics<Acc> of_row[stream_rows_in_flight];
};

/// The ring begins at a multiple of what bulk copies like best.
template <class T>
constexpr int control_bytes = static_cast<int>((sizeof(StreamControl<Accumulator<T>>) + 127) / 128 *
                                               128);

#if __CUDA_ARCH__ >= 900

/// A row as one block of its team meets it.
template <class T>
struct StreamRow {
  static constexpr int kVec = full_vec<T>;

  std::int64_t begin;  ///< In x.
  Span<T, kVec> span;
  int chunks;    ///< Of the block.
  int released;  ///< Of them, those that are loaded once more for the output.

  __device__ __forceinline__ StreamRow(const RowParams& params, const StreamShape& shape, int rank,
                                       std::int64_t row)
      : begin(params.geometry.x_begin(row)),
        span(static_cast<const T*>(params.tensors.x) + begin,
             static_cast<int>(params.geometry.row_len)),
        chunks(chunks_of(shape, rank)),
        released(chunks > shape.kept ? chunks - shape.kept : 0) {}

  __device__ __forceinline__ int chunks_of(const StreamShape& shape, int rank) const {
    const auto vectors = static_cast<std::uint32_t>(span.vectors);
    const std::uint32_t all =
        shape.slot_vectors.quotient(vectors + shape.slot_vectors.divisor() - 1);
    return static_cast<int>(shape.blocks_per_row.quotient(all + shape.blocks_per_row.divisor() - 1 -
                                                          static_cast<std::uint32_t>(rank)));
  }

  /// The row's vector that the block's chunk begins with, and how many it has.
  __device__ __forceinline__ int first_vector(const StreamShape& shape, int rank, int chunk) const {
    return (chunk * static_cast<int>(shape.blocks_per_row.divisor()) + rank) *
           static_cast<int>(shape.slot_vectors.divisor());
  }
  __device__ __forceinline__ int vectors_from(const StreamShape& shape, int first) const {
    return min(static_cast<int>(shape.slot_vectors.divisor()), span.vectors - first);
  }

  /// The chunk that is written after `i` others: those that were held come before those that come
  /// again, the latest first, since the L2 has it with the best chance.
  __device__ __forceinline__ int chunk_written(int i) const {
    const int held = chunks - released;
    return i < held ? released + i : chunks - 1 - i;
  }

  /// Elements whose moments block `rank` takes: its chunks', and block 0 those at the row's edges.
  __device__ __forceinline__ int elements_of(const StreamShape& shape, int rank) const {
    const int count = chunks_of(shape, rank);
    const int last = first_vector(shape, rank, count - 1);
    const int vectors =
        (count - 1) * static_cast<int>(shape.slot_vectors.divisor()) + vectors_from(shape, last);
    return vectors * kVec + (rank == 0 ? span.head + span.tail : 0);
  }
};

/// Delays: see exchange_delays.cuh.
template <class T, RowForm kForm, class Delays = NoDelays>
class StreamBlock {
 public:
  using Acc = Accumulator<T>;
  static constexpr int kVec = full_vec<T>;
  /// A warp's tile: as many vectors of each lane, 32 apart, so that distances are constants.
  static constexpr int tile = stream_tile;
  static constexpr int tile_vectors = 32 * tile;
  static constexpr int tile_len = tile_vectors * kVec;
  /// More for the moments, which take fewer registers and few warps.
  static constexpr int moments_tile = kForm == RowForm::plain ? 4 : tile_of<kVec, 4>;
  using Vector = Packed<T, kVec>;
  using Run = RunTile<std::integral_constant<int, 32>>;

  __device__ __forceinline__ StreamBlock(const RowParams& params, const StreamShape& shape,
                                         PartialMessage* messages, unsigned char* shared,
                                         const Delays& delays = {})
      : params_(params),
        shape_(shape),
        messages_(messages),
        control_(*reinterpret_cast<StreamControl<Acc>*>(shared)),
        mailbox_(shared + control_bytes<T>, static_cast<int>(shape.blocks_per_row.divisor())),
        ring_(reinterpret_cast<Vector*>(
            shared + control_bytes<T> +
            (in_cluster() ? cluster_mailbox_bytes(static_cast<int>(shape.blocks_per_row.divisor()))
                          : 0))),
        has_residual_(kForm == RowForm::fused && params.residual != Residual::none),
        slot_vectors_(static_cast<int>(shape.slot_vectors.divisor())),
        blocks_per_row_(static_cast<int>(shape.blocks_per_row.divisor())),
        team_(static_cast<int>(shape.blocks_per_row.quotient(blockIdx.x))),
        rank_(static_cast<int>(blockIdx.x) - team_ * blocks_per_row_),
        delays_(delays) {}

  __device__ __forceinline__ void run() {
    const int warp = static_cast<int>(threadIdx.x / 32);
    // By all warps, since x's first load waits for it.
    if (threadIdx.x % 32 == 0) {
      share_initialisations(shape_.slots, [&](int s) {
        control_.full[s].initialise(1);
        control_.empty[s].initialise(32 * (shape_.statistics_warps + apply_warps_of_chunk()));
      });
      share_initialisations(stream_rows_in_flight, [&](int r) {
        control_.moments_known[r].initialise(shape_.statistics_warps);
        control_.row_known[r].initialise(1);
      });
      if (in_cluster() && warp == 0) mailbox_.initialise();
      Barrier::publish_initialisations();
    }
    __syncthreads();
    if (in_cluster()) ClusterMailbox::announce();
    if (warp == 0) {
      if (threadIdx.x == 0) load();
    } else if (warp == 1) {
      send();
    } else if (warp == 2) {
      if (blocks_per_row_ > 1) receive_all();
    } else if (warp < stream_service_warps + shape_.statistics_warps) {
      take_moments(warp - stream_service_warps);
    } else {
      write(warp - stream_service_warps - shape_.statistics_warps);
    }
    __syncwarp();
    if (in_cluster()) {
      if (warp != 1) ClusterMailbox::await_others();  // The sender has done so.
      ClusterMailbox::leave();
    }
  }

 private:
  __device__ __forceinline__ StreamRow<T> row_at(std::int64_t row) const {
    return StreamRow<T>(params_, shape_, rank_, row);
  }

  __device__ __forceinline__ bool in_cluster() const {
    return shape_.exchange == Exchange::cluster;
  }

  __device__ __forceinline__ int apply_warps_of_chunk() const {
    return shape_.apply_warps / shape_.apply_groups;
  }

  /// x's part of a slot, and the residual's.
  __device__ __forceinline__ Vector* slot_x(int slot) const {
    return ring_ + slot * slot_vectors_ * (has_residual_ ? 2 : 1);
  }
  __device__ __forceinline__ Vector* slot_residual(int slot) const {
    return slot_x(slot) + slot_vectors_;
  }

  /// Calls function(row, number): the team's rows, numbered.
  template <class Function>
  __device__ __forceinline__ void each_row(Function&& function) const {
    int number = 0;
    for (std::int64_t row = team_; row < params_.geometry.rows; row += shape_.teams) {
      function(row, number++);
    }
  }

  // One thread: every chunk of a row for its moments, then those again that were not held.
  __device__ void load() {
    const CachePolicy wanted(params_.cache.load);
    const CachePolicy keep(LoadPriority::evict_last);
    const CachePolicy drop(LoadPriority::evict_first);
    Place place{0, 1};
    each_row([&](std::int64_t row, int) {
      const StreamRow<T> part = row_at(row);
      for (int chunk = 0; chunk < part.chunks; ++chunk) {
        const bool held = chunk >= part.released;
        const bool cached = chunk >= part.released - shape_.cached;
        load_chunk(part, chunk, place, held ? wanted : (cached ? keep : drop));
      }
      for (int i = part.chunks - part.released; i < part.chunks; ++i) {
        load_chunk(part, part.chunk_written(i), place, drop);
      }
    });
  }

  __device__ __forceinline__ void load_chunk(const StreamRow<T>& part, int chunk, Place& place,
                                             CachePolicy hint) {
    const int first = part.first_vector(shape_, rank_, chunk);
    const unsigned int bytes =
        static_cast<unsigned int>(part.vectors_from(shape_, first)) * sizeof(Vector);
    const std::int64_t at = part.begin + part.span.head + std::int64_t{first} * kVec;
    Barrier& full = control_.full[place.slot];
    delays_.before_load();
    control_.empty[place.slot].wait(place.parity);
    full.arrive_expecting(has_residual_ ? 2 * bytes : bytes);
    full.copy(slot_x(place.slot), static_cast<const T*>(params_.tensors.x) + at, bytes, hint);
    if (has_residual_) {
      full.copy(slot_residual(place.slot), static_cast<const T*>(params_.tensors.residual) + at,
                bytes, hint);
    }
    place.advance(1, shape_.slots);
  }

  /// One access: left to itself, the compiler may read the elements byte by byte.
  static __device__ __forceinline__ Vector read_slot(const Vector* from) {
    Vector vector;
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(vector.word.x), "=r"(vector.word.y), "=r"(vector.word.z),
                   "=r"(vector.word.w)
                 : "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(from)))
                 : "memory");
    return vector;
  }

  /// h of kTile vectors of a slot, 32 apart.
  template <int kTile>
  __device__ __forceinline__ void read_tile(const RowInput<T, kForm>& input, int slot, int vector,
                                            Acc (&values)[kTile * kVec]) const {
    const Vector* const x = slot_x(slot) + vector;
#pragma unroll
    for (int u = 0; u < kTile; ++u) unpack_into(read_slot(x + u * 32), u, values);
    if (!has_residual_) return;
    const Vector* const residual = slot_residual(slot) + vector;
#pragma unroll
    for (int u = 0; u < kTile; ++u) {
      Acc of_vector[kVec];
      unpack(read_slot(residual + u * 32), of_vector);
#pragma unroll
      for (int k = 0; k < kVec; ++k) {
        values[u * kVec + k] = input.sum(values[u * kVec + k], of_vector[k]);
      }
    }
  }

  __device__ void take_moments(int warp) {
    const int lane = static_cast<int>(threadIdx.x % 32);
    const int step = 32 * moments_tile * shape_.statistics_warps;
    const bool first_lane = lane == 0;
    const CachePolicy hint(LoadPriority::normal);
    Place place;
    each_row([&](std::int64_t row, int number) {
      const StreamRow<T> part = row_at(row);
      const RowInput<T, kForm> input(params_, part.begin);
      PartMoments<Acc> handed_on;
      ThreadMoments<Acc> moments;
      const int edge = rank_ == 0 ? part.span.edge(32 * warp + lane) : -1;
      const Acc at_edge[1] = {edge >= 0 ? input.load_element(edge, hint) : Acc{0}};
      for (int chunk = 0; chunk < part.chunks; ++chunk) {
        control_.full[place.slot].wait(place.parity);
        const int vectors = part.vectors_from(shape_, part.first_vector(shape_, rank_, chunk));
        int vector = warp * 32 * moments_tile + lane;
        for (; vector + (moments_tile - 1) * 32 < vectors; vector += step) {
          Acc values[moments_tile * kVec];
          read_tile<moments_tile>(input, place.slot, vector, values);
          moments.add(values, params_.statistics);
        }
        // Of a tile that is cut short, a vector at a time.
#pragma unroll 1
        for (int end = vector + 32 * moments_tile; vector < min(end, vectors); vector += 32) {
          Acc values[kVec];
          read_tile<1>(input, place.slot, vector, values);
          moments.add(values, params_.statistics);
        }
        // A chunk that is not held has no writer to wait for.
        const bool alone = chunk < part.released && warp == 0;
        control_.empty[place.slot].arrive(alone ? 1 + apply_warps_of_chunk() : 1);
        place.advance(1, shape_.slots);
        if (moments.count >= chunks_before_merge * moments_tile * kVec) {
          handed_on = merge(handed_on, moments.part());
          moments = {};
        }
      }
      // Last, since a pivot of several elements is the better one.
      if (edge >= 0) moments.add(at_edge, params_.statistics);
      const PartMoments<Acc> of_warp = merge_lanes(merge(handed_on, moments.part()));
      const int in_flight = number % stream_rows_in_flight;
      if (first_lane) {
        control_.of_warp[in_flight][warp] = of_warp;
        control_.moments_known[in_flight].arrive();
      }
      // What comes again is let pass, one by one: of a barrier that had ended two phases meanwhile,
      // the parity would say that it had ended none.
      for (int again = 0; again < part.released; ++again) {
        control_.full[place.slot].wait(place.parity);
        control_.empty[place.slot].arrive();
        place.advance(1, shape_.slots);
      }
    });
  }

  // The block's part of each row goes to its team. Alone, the block knows the row by it.
  __device__ void send() {
    if (in_cluster()) ClusterMailbox::await_others();
    const int lane = static_cast<int>(threadIdx.x % 32);
    each_row([&](std::int64_t row, int number) {
      const int in_flight = number % stream_rows_in_flight;
      control_.moments_known[in_flight].wait(number / stream_rows_in_flight % 2);
      PartMoments<Acc> moments;
      if (lane < shape_.statistics_warps) moments = control_.of_warp[in_flight][lane];
      moments = merge_lanes(moments);  // For every lane: each sends it to a block of its own.
      delays_.before_send();
      if (blocks_per_row_ == 1) {
        know(row, in_flight, moments);
      } else if (in_cluster()) {
        mailbox_.send(number, rank_, PartialMessage::of(moments));
      } else if (lane == 0) {
        PartialMessage::of(moments).send(messages_ + row * blocks_per_row_ + rank_);
      }
    });
  }

  __device__ void receive_all() {
    const int lane = static_cast<int>(threadIdx.x % 32);
    each_row([&](std::int64_t row, int number) {
      const StreamRow<T> part = row_at(row);
      const auto count_of = [&](int sender) {
        return static_cast<Acc>(part.elements_of(shape_, sender));
      };
      delays_.before_receive();
      PartMoments<Acc> moments;
      if (in_cluster()) {
        const Acc counts[1] = {lane < blocks_per_row_ ? count_of(lane) : Acc{0}};
        const PartialMessage held[1] = {mailbox_.receive(number)};
        moments = merge_messages(held, counts, blocks_per_row_);
      } else {
        moments = receive<most_team_blocks, Acc>(messages_ + row * blocks_per_row_, blocks_per_row_,
                                                 count_of);
      }
      know(row, number % stream_rows_in_flight, moments);
    });
  }

  __device__ __forceinline__ void know(std::int64_t row, int in_flight,
                                       const PartMoments<Acc>& moments) {
    const auto statistics = finish(moments, params_.statistics, static_cast<Acc>(params_.eps));
    if (threadIdx.x % 32 == 0) {
      control_.of_row[in_flight] = statistics;
      control_.row_known[in_flight].arrive();
      if (rank_ == 0) write_statistics(params_, row, statistics);
    }
    __syncwarp();
  }

  // Chunks go to the groups of warps in turn, so that a thread has several vectors of one, and rows
  // of one chunk are written several at a time.
  __device__ void write(int writer) {
    const Writer by(shape_, writer, pair_serves_chunk());
    Place place;
    int turn = by.group;  // Chunks until the group's next.
    each_row([&](std::int64_t row, int number) {
      const StreamRow<T> part = row_at(row);
      place.advance(part.released, shape_.slots);
      const RowChannels<T, kForm> channels(params_, row, 0);
      const bool paired = channels.pairs_serve(tile_len);
      int at = 0;  // Where `place` is.
      // As many chunks at a time as a lane each can look up channels for.
      while (turn < part.chunks) {
        ChannelPair<Acc> pairs;
        if (paired) pairs = pair_of_lane(part, channels, by, turn);
        // What is above can be had while the statistics are on their way.
        const int in_flight = number % stream_rows_in_flight;
        control_.row_known[in_flight].wait(number / stream_rows_in_flight % 2);
        const RowEpilogue<T, kForm> epilogue(channels, control_.of_row[in_flight]);
        ComposedPair<Acc> composed;
        if (paired) composed = epilogue.compose(pairs);
        const RowInput<T, kForm> input(params_, part.begin);
        const RowPlace begin{part.begin, params_.geometry.y_begin(row, part.begin)};
        if (rank_ == 0 && turn == 0) write_edges(begin, part, by, input, epilogue);
        const RunOutput<T, kForm> output(params_, CachePolicy(params_.cache.store), epilogue);
        const int end = min(part.chunks, turn + by.chunks_at_once * shape_.apply_groups);
        for (int lookup = 0; turn < end; lookup += by.lookups) {
          place.advance(turn - at, shape_.slots);
          at = turn;
          turn += shape_.apply_groups;
          control_.full[place.slot].wait(place.parity);
          delays_.before_write();
          const int first = part.first_vector(shape_, rank_, part.chunk_written(at));
          const Chunk chunk{begin, place.slot, part.span.head + first * kVec,
                            part.vectors_from(shape_, first)};
          if (paired) {
            with_activation<Acc>(params_.epilogue, [&](auto activation) {
              int vector = by.first_vector();
              for (int lane = lookup; vector < chunk.vectors; ++lane) {
                const ComposedPair<Acc> pair = composed.from_lane(lane);
                const int served = min(chunk.vectors, vector + by.vectors_of_lookup);
                each_tile(chunk, by, input, vector, served, [&](const Run& run, auto& values) {
                  output.template write<kVec>(run, pair, activation, values);
                });
              }
            });
          } else {
            int vector = by.first_vector();
            each_tile(chunk, by, input, vector, chunk.vectors, [&](const Run& run, auto& values) {
              if (run.left > 0) output.template write<kVec>(run, values);
            });
          }
          control_.empty[place.slot].arrive();
        }
      }
      place.advance(part.chunks - at, shape_.slots);
      turn -= part.chunks;
    });
  }

  /// A warp of the writers, and what it has of a chunk.
  struct Writer {
    int lane;
    int warps;  ///< Of its group.
    int group;
    int warp;     ///< In its group: it has tiles warp, warp + warps, ...
    int lookups;  ///< Of channels: one for each of its tiles of a full chunk, or one for all.
    int vectors_of_lookup;  ///< Tiles that begin within so many vectors share one.
    int chunks_at_once;     ///< Whose lookups have a lane each: this one's is
    int lanes_chunk;        ///< of this chunk,
    int lanes_vector;       ///< and of the tile that begins with this vector of it.

    __device__ __forceinline__ Writer(const StreamShape& shape, int writer, bool one_for_all)
        : lane(static_cast<int>(threadIdx.x % 32)),
          warps(shape.apply_warps / shape.apply_groups),
          group(writer / warps),
          warp(writer - group * warps),
          lookups(one_for_all ? 1 : tiles_of(shape, warps)),
          vectors_of_lookup(one_for_all ? static_cast<int>(shape.slot_vectors.divisor()) : 1),
          chunks_at_once(32 / lookups),
          lanes_chunk(lane / lookups),
          lanes_vector(
              one_for_all ? 0 : (warp + (lane - lanes_chunk * lookups) * warps) * tile_vectors) {}

    /// Of a chunk.
    __device__ __forceinline__ int first_vector() const { return warp * tile_vectors; }

   private:
    /// Of a full chunk.
    static __device__ __forceinline__ int tiles_of(const StreamShape& shape, int warps) {
      return (static_cast<int>(shape.slot_vectors.divisor()) / tile_vectors + warps - 1) / warps;
    }
  };

  /// Whether a chunk meets two channels at most, as channels of images do.
  __device__ __forceinline__ bool pair_serves_chunk() const {
    return params_.geometry.inner >= slot_vectors_ * kVec;
  }

  /// The lane's answer to: which channels has its part of what the warp writes from chunk `turn`
  /// on?
  __device__ __forceinline__ ChannelPair<Acc> pair_of_lane(const StreamRow<T>& part,
                                                           const RowChannels<T, kForm>& channels,
                                                           const Writer& by, int turn) const {
    const int i = min(turn + by.lanes_chunk * shape_.apply_groups, part.chunks - 1);
    const int vector = part.first_vector(shape_, rank_, part.chunk_written(i)) + by.lanes_vector;
    return channels.pair_from(part.span.head + min(vector, part.span.vectors - 1) * kVec);
  }

  __device__ __forceinline__ void write_edges(const RowPlace& begin, const StreamRow<T>& part,
                                              const Writer& by, const RowInput<T, kForm>& input,
                                              const RowEpilogue<T, kForm>& epilogue) const {
    if (const int edge = part.span.edge(32 * by.warp + by.lane); edge >= 0) {
      Acc value[1] = {input.load_element(edge, CachePolicy(LoadPriority::normal))};
      write_vector<T>(params_, begin + edge, CachePolicy(params_.cache.store), epilogue, edge,
                      value);
    }
  }

  /// A chunk of a row in its slot.
  struct Chunk {
    RowPlace row;
    int slot;
    int index;  ///< The chunk's first element in the row.
    int vectors;

    __device__ __forceinline__ Run from(int vector) const {
      return {row + index + vector * kVec, index + vector * kVec, vectors - vector, {}};
    }
  };

  /// Calls write_tile(where, h) for the warp's tiles from vector `first` on up to `end`. A tile
  /// that is cut short reads what else the slot holds.
  template <class WriteTile>
  __device__ __forceinline__ void each_tile(const Chunk& chunk, const Writer& by,
                                            const RowInput<T, kForm>& input, int& first, int end,
                                            WriteTile&& write_tile) const {
#pragma unroll 1
    for (; first < end; first += by.warps * tile_vectors) {
      Acc values[tile * kVec];
      read_tile<tile>(input, chunk.slot, first + by.lane, values);
      write_tile(chunk.from(first + by.lane), values);
    }
  }

  const RowParams& params_;
  const StreamShape& shape_;
  PartialMessage* const messages_;
  StreamControl<Acc>& control_;
  ClusterMailbox mailbox_;
  Vector* const ring_;
  const bool has_residual_;
  const int slot_vectors_;
  const int blocks_per_row_;
  const int team_;
  const int rank_;
  Delays delays_;
};

#endif

}  // namespace fastnorm::cuda
