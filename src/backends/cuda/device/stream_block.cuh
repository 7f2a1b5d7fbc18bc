/// A persistent grid through which rows stream: each is read once, held in the shared memory of its
/// team's blocks until its statistics are known, and written from there.
///
/// The warps of a block have one task each, and a ring of slots joins them: one loads, some take
/// moments of what has come, one exchanges the block's part with the rest of the team, and most
/// write rows that are one or several behind. While a row waits for its statistics, later ones are
/// loading.
#pragma once

#include "backends/cuda/device/barrier.cuh"
#include "backends/cuda/device/epilogue.cuh"
#include "backends/cuda/device/exchange_delays.cuh"
#include "backends/cuda/device/moments.cuh"
#include "backends/cuda/device/partial_message.cuh"
#include "backends/cuda/device/row_input.cuh"
#include "backends/cuda/device/row_output.cuh"
#include "backends/cuda/device/run_output.cuh"
#include "backends/cuda/device/span.cuh"
#include "backends/cuda/stream_row_kernel.hpp"

#include <cstdint>

namespace fastnorm::cuda {

/// A thread's vectors that are in registers at a time: 16 values.
template <class T>
constexpr int tile_of = full_vec<T> > 4 ? 2 : 4;

/// What a block shares beside its ring.
template <class Acc>
struct StreamControl {
  Barrier full[most_stream_slots];               ///< A slot's chunk has come.
  Barrier empty[most_stream_slots];              ///< Nobody needs it any more.
  Barrier moments_known[stream_rows_in_flight];  ///< Of the block's part of a row.
  Barrier row_known[stream_rows_in_flight];      ///< The row's statistics.
  PartMoments<Acc> of_warp[stream_rows_in_flight][most_statistics_warps];
  RowStatistics<Acc> of_row[stream_rows_in_flight];
};

/// The ring begins at a multiple of what bulk copies like best.
template <class T>
constexpr int control_bytes = static_cast<int>((sizeof(StreamControl<Accumulator<T>>) + 127) / 128 *
                                               128);

/// A place in the ring; each role walks through all of them in the order of the loads.
struct Place {
  int slot = 0;
  unsigned int parity = 0;

  __device__ __forceinline__ void advance(int by, int slots) {
    slot += by;
    while (slot >= slots) {
      slot -= slots;
      parity ^= 1;
    }
  }
};

#if __CUDA_ARCH__ >= 900

/// A row as one block of its team meets it.
template <class T>
struct StreamRow {
  static constexpr int kVec = full_vec<T>;

  std::int64_t begin;  ///< Element of the tensor.
  Span<T, kVec> span;
  int chunks;    ///< Of the block.
  int released;  ///< Of them, those that are loaded once more for the output.

  __device__ __forceinline__ StreamRow(const RowParams& params, const StreamShape& shape, int rank,
                                       std::int64_t row)
      : begin(row * params.geometry.row_len),
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
template <class T, class Delays = NoDelays>
class StreamBlock {
 public:
  using Acc = Accumulator<T>;
  static constexpr int kVec = full_vec<T>;
  static constexpr int tile = tile_of<T>;
  using Vector = Packed<T, kVec>;

  __device__ __forceinline__ StreamBlock(const RowParams& params, const StreamShape& shape,
                                         PartialMessage* messages, unsigned char* shared,
                                         const Delays& delays = {})
      : params_(params),
        shape_(shape),
        messages_(messages),
        control_(*reinterpret_cast<StreamControl<Acc>*>(shared)),
        ring_(reinterpret_cast<Vector*>(shared + control_bytes<T>)),
        has_residual_(params.residual != Residual::none),
        slot_vectors_(static_cast<int>(shape.slot_vectors.divisor())),
        blocks_per_row_(static_cast<int>(shape.blocks_per_row.divisor())),
        team_(static_cast<int>(shape.blocks_per_row.quotient(blockIdx.x))),
        rank_(static_cast<int>(blockIdx.x) - team_ * blocks_per_row_),
        delays_(delays) {}

  __device__ __forceinline__ void run() {
    if (threadIdx.x == 0) {
      for (int s = 0; s < shape_.slots; ++s) {
        control_.full[s].initialise(1);
        control_.empty[s].initialise(shape_.statistics_warps + apply_warps_of_chunk());
      }
      for (int r = 0; r < stream_rows_in_flight; ++r) {
        control_.moments_known[r].initialise(shape_.statistics_warps);
        control_.row_known[r].initialise(1);
      }
      Barrier::publish_initialisations();
    }
    __syncthreads();
    const int warp = static_cast<int>(threadIdx.x / 32);
    if (warp == 0) {
      if (threadIdx.x == 0) load();
    } else if (warp == 1) {
      send();
    } else if (warp == 2) {
      if (blocks_per_row_ > 1) receive_all();
    } else if (warp < stream_service_warps + shape_.statistics_warps) {
      take_moments(static_cast<int>(threadIdx.x) - 32 * stream_service_warps);
    } else {
      write(static_cast<int>(threadIdx.x) - 32 * (stream_service_warps + shape_.statistics_warps));
    }
  }

 private:
  __device__ __forceinline__ StreamRow<T> row_at(std::int64_t row) const {
    return StreamRow<T>(params_, shape_, rank_, row);
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

  // One thread: every chunk of a row for its moments, then those again that could not be held, the
  // latest first, since the L2 has it with the best chance.
  __device__ void load() {
    const LoadPolicy wanted(params_.cache.load);
    const LoadPolicy keep(LoadPriority::evict_last);
    const LoadPolicy drop(LoadPriority::evict_first);
    Place place{0, 1};
    each_row([&](std::int64_t row, int) {
      const StreamRow<T> part = row_at(row);
      for (int chunk = 0; chunk < part.chunks; ++chunk) {
        const bool held = chunk >= part.released;
        const bool cached = chunk >= part.released - shape_.cached;
        load_chunk(part, chunk, place, held ? wanted : (cached ? keep : drop));
      }
      for (int chunk = part.released - 1; chunk >= 0; --chunk) {
        load_chunk(part, chunk, place, drop);
      }
    });
  }

  __device__ __forceinline__ void load_chunk(const StreamRow<T>& part, int chunk, Place& place,
                                             LoadPolicy hint) {
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

  /// h of kTile vectors of a slot, `step` apart.
  template <int kTile>
  __device__ __forceinline__ void read_tile(const RowInput<T>& input, int slot, int vector,
                                            int step, Acc (&values)[kTile * kVec]) const {
    const Vector* const x = slot_x(slot) + vector;
#pragma unroll
    for (int u = 0; u < kTile; ++u) {
      Acc of_vector[kVec];
      unpack(x[u * step], of_vector);
#pragma unroll
      for (int k = 0; k < kVec; ++k) values[u * kVec + k] = of_vector[k];
    }
    if (!has_residual_) return;
    const Vector* const residual = slot_residual(slot) + vector;
#pragma unroll
    for (int u = 0; u < kTile; ++u) {
      Acc of_vector[kVec];
      unpack(residual[u * step], of_vector);
#pragma unroll
      for (int k = 0; k < kVec; ++k) {
        values[u * kVec + k] = input.sum(values[u * kVec + k], of_vector[k]);
      }
    }
  }

  __device__ void take_moments(int thread) {
    const int step = 32 * shape_.statistics_warps;
    const int warp = thread / 32;
    const bool first_lane = thread % 32 == 0;
    const LoadPolicy hint(LoadPriority::normal);
    Place place;
    each_row([&](std::int64_t row, int number) {
      const StreamRow<T> part = row_at(row);
      const RowInput<T> input(params_, part.begin);
      ThreadMoments<Acc> moments;
      if (rank_ == 0) {
        if (const int edge = part.span.edge(thread); edge >= 0) {
          const Acc value[1] = {input.load_element(edge, hint)};
          moments.add(value);
        }
      }
      for (int chunk = 0; chunk < part.chunks; ++chunk) {
        control_.full[place.slot].wait(place.parity);
        const int vectors = part.vectors_from(shape_, part.first_vector(shape_, rank_, chunk));
        int vector = thread;
        for (; vector + (tile - 1) * step < vectors; vector += tile * step) {
          Acc values[tile * kVec];
          read_tile<tile>(input, place.slot, vector, step, values);
          moments.add(values);
        }
#pragma unroll 1
        for (; vector < vectors; vector += step) {
          Acc values[kVec];
          read_tile<1>(input, place.slot, vector, step, values);
          moments.add(values);
        }
        __syncwarp();
        if (first_lane) {
          // A chunk that is not held has no writer to wait for.
          const bool alone = chunk < part.released && warp == 0;
          control_.empty[place.slot].arrive(alone ? 1 + apply_warps_of_chunk() : 1);
        }
        place.advance(1, shape_.slots);
      }
      const PartMoments<Acc> of_warp = merge_lanes(to_part(moments));
      const int in_flight = number % stream_rows_in_flight;
      if (first_lane) {
        control_.of_warp[in_flight][warp] = of_warp;
        control_.moments_known[in_flight].arrive();
      }
      // What comes again is let pass, one by one: of a barrier that had ended two phases meanwhile,
      // the parity would say that it had ended none.
      for (int again = 0; again < part.released; ++again) {
        control_.full[place.slot].wait(place.parity);
        __syncwarp();
        if (first_lane) control_.empty[place.slot].arrive();
        place.advance(1, shape_.slots);
      }
    });
  }

  // The block's part of each row goes to its team. Alone, the block knows the row by it.
  __device__ void send() {
    const int lane = static_cast<int>(threadIdx.x % 32);
    each_row([&](std::int64_t row, int number) {
      const int in_flight = number % stream_rows_in_flight;
      control_.moments_known[in_flight].wait(number / stream_rows_in_flight % 2);
      PartMoments<Acc> moments;
      if (lane < shape_.statistics_warps) moments = control_.of_warp[in_flight][lane];
      moments = merge_lanes(moments, most_statistics_warps);
      delays_.before_send();
      if (blocks_per_row_ == 1) {
        know(row, in_flight, moments);
      } else if (lane == 0) {
        PartialMessage::of(moments).send(messages_ + row * blocks_per_row_ + rank_);
      }
    });
  }

  __device__ void receive_all() {
    each_row([&](std::int64_t row, int number) {
      const StreamRow<T> part = row_at(row);
      delays_.before_receive();
      const auto moments = receive<most_stream_blocks_per_row, Acc>(
          messages_ + row * blocks_per_row_, blocks_per_row_,
          [&](int sender) { return static_cast<Acc>(part.elements_of(shape_, sender)); });
      know(row, number % stream_rows_in_flight, moments);
    });
  }

  __device__ __forceinline__ void know(std::int64_t row, int in_flight,
                                       const PartMoments<Acc>& moments) {
    const auto statistics = finish(moments, params_.statistics, params_.eps);
    if (threadIdx.x % 32 == 0) {
      control_.of_row[in_flight] = statistics;
      control_.row_known[in_flight].arrive();
      if (rank_ == 0) write_statistics(params_, row, statistics);
    }
    __syncwarp();
  }

  // Chunks go to the groups of warps in turn, so that a thread has several vectors of one, and rows
  // of one chunk are written several at a time.
  __device__ void write(int warps_thread) {
    const int group_threads = 32 * apply_warps_of_chunk();
    const int group = warps_thread / group_threads;
    const int thread = warps_thread - group * group_threads;
    const LoadPolicy hint(LoadPriority::normal);
    Place place;
    int turn = group;  // Chunks until the group's next.
    each_row([&](std::int64_t row, int number) {
      const StreamRow<T> part = row_at(row);
      place.advance(part.released, shape_.slots);
      if (turn >= part.chunks) {
        turn -= part.chunks;
        place.advance(part.chunks, shape_.slots);
        return;
      }
      const RowInput<T> input(params_, part.begin);
      const RowChannels<T> row_channels(params_, row, 0);
      const auto chunk_at = [&part](int i) {
        const int held = part.chunks - part.released;
        return i < held ? part.released + i : part.chunks - 1 - i;
      };
      const auto channels_of = [&](int chunk) {
        const int first = part.first_vector(shape_, rank_, chunk);
        return RunChannels<T>(row_channels, part.span.head + first * kVec, slot_vectors_ * kVec);
      };
      // Those of up to 32 chunks, one a lane: read while the statistics are on their way.
      const int lane = thread % 32;
      const auto channels_from = [&](int i) {
        return channels_of(chunk_at(min(i + lane, part.chunks - 1)));
      };
      int looked_up = turn / 32 * 32;
      RunChannels<T> channels = channels_from(looked_up);
      const int in_flight = number % stream_rows_in_flight;
      control_.row_known[in_flight].wait(number / stream_rows_in_flight % 2);
      const RowEpilogue<T> epilogue(row_channels, control_.of_row[in_flight]);
      if (rank_ == 0 && turn == 0) {
        if (const int edge = part.span.edge(thread); edge >= 0) {
          Acc value[1] = {input.load_element(edge, hint)};
          write_vector<T>(params_, part.begin + edge, epilogue, edge, value);
        }
      }
      int at = 0;
      while (turn < part.chunks) {
        place.advance(turn - at, shape_.slots);
        at = turn;
        turn += shape_.apply_groups;
        if (at >= looked_up + 32) {
          looked_up = at / 32 * 32;
          channels = channels_from(looked_up);
        }
        const RunOutput<T> output(params_, epilogue, channels.from_lane(at - looked_up));
        control_.full[place.slot].wait(place.parity);
        delays_.before_write();
        write_chunk(part, chunk_at(at), place.slot, thread, group_threads, input, output);
        __syncwarp();
        if (thread % 32 == 0) control_.empty[place.slot].arrive();
      }
      place.advance(part.chunks - at, shape_.slots);
      turn -= part.chunks;
    });
  }

  __device__ __forceinline__ void write_chunk(const StreamRow<T>& part, int chunk, int slot,
                                              int thread, int step, const RowInput<T>& input,
                                              const RunOutput<T>& output) const {
    const int first = part.first_vector(shape_, rank_, chunk);
    const int vectors = part.vectors_from(shape_, first);
    const int element = part.span.head + first * kVec;
    int vector = thread;
    for (; vector + (tile - 1) * step < vectors; vector += tile * step) {
      write_tile<tile>(part, element, slot, vector, step, input, output);
    }
#pragma unroll 1
    for (; vector < vectors; vector += step) {
      write_tile<1>(part, element, slot, vector, step, input, output);
    }
  }

  template <int kTile>
  __device__ __forceinline__ void write_tile(const StreamRow<T>& part, int element, int slot,
                                             int vector, int step, const RowInput<T>& input,
                                             const RunOutput<T>& output) const {
    const int index = element + vector * kVec;
    Acc values[kTile * kVec];
    read_tile<kTile>(input, slot, vector, step, values);
    output.template write<kVec, kTile>({part.begin + index, index, step}, values);
  }

  const RowParams& params_;
  const StreamShape& shape_;
  PartialMessage* const messages_;
  StreamControl<Acc>& control_;
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
