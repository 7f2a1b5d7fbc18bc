// SPDX-License-Identifier: Apache-2.0
/// The slots of a block of strategy stream_columns, and how they are filled.
#pragma once

#include "backends/cuda/device/barrier.cuh"
#include "backends/cuda/device/column_barriers.cuh"
#include "backends/cuda/device/column_stream_tile.cuh"
#include "backends/cuda/device/stream_place.cuh"
#include "backends/cuda/stream_columns_kernel.hpp"

#include <cstdint>

namespace fastnorm::cuda {

#if __CUDA_ARCH__ >= 900

/// Slots 0 to held_slots - 1 have the chunk of that number of every tile; the others are the ring.
///
/// A chunk's way: it is loaded; a warp of the statistics takes its moments; a warp of the output
/// writes it, or waits until it has come again. Both let go of a slot before it is filled anew.
template <class T>
class ColumnRing {
 public:
  __device__ __forceinline__ ColumnRing(const ColumnParams& params, const ColumnStream& stream,
                                        ColumnBarriers& barriers, unsigned char* shared, int rank,
                                        bool has_residual)
      : params_(params),
        stream_(stream),
        barriers_(barriers),
        slots_(reinterpret_cast<T*>(shared + stream.ring_at)),
        rank_(rank),
        chunk_positions_(static_cast<int>(stream.chunk_positions.divisor())),
        blocks_per_tile_(static_cast<int>(stream.blocks_per_tile.divisor())),
        has_residual_(has_residual),
        loads_vectors_(stream.loaders > 1) {}

  /// By the first thread of every warp, before the block meets: x's first load waits for it.
  __device__ __forceinline__ void initialise() const {
    share_initialisations(stream_.slots(), [&](int s) {
      barriers_.full[s].initialise(loads_vectors_ ? 32 * stream_.loaders : 1);
      barriers_.empty[s].initialise(users * 32 * stream_.output.column_warps);
    });
  }

  __device__ __forceinline__ int first_position(int chunk) const {
    return (chunk * blocks_per_tile_ + rank_) * chunk_positions_;
  }
  __device__ __forceinline__ int positions_from(int first) const {
    return min(chunk_positions_, static_cast<int>(params_.geometry.positions) - first);
  }

  __device__ __forceinline__ const T* x(int slot) const { return slot_x(slot); }
  __device__ __forceinline__ const T* residual(int slot) const { return slot_residual(slot); }

  /// Where the ring's place is among all slots.
  __device__ __forceinline__ Place of_ring(Place place) const {
    return {stream_.held_slots + place.slot, place.parity};
  }
  /// Where tile `number` of the team has a held chunk.
  static __device__ __forceinline__ Place of_held(int chunk, int number) {
    return {chunk, static_cast<unsigned int>(number) & 1};
  }

  __device__ __forceinline__ void await(Place place) const {
    barriers_.full[place.slot].wait(place.parity);
  }
  /// By every lane of the warps that have the slot: they need it no more.
  __device__ __forceinline__ void let_go(Place place) const {
    barriers_.empty[place.slot].arrive();
  }
  /// The same for the output as well, which will not look at it.
  __device__ __forceinline__ void let_go_for_all(Place place) const {
    barriers_.empty[place.slot].arrive(users);
  }

  /// By all lanes of all warps that load, of which this is number `loader`.
  __device__ __forceinline__ void fill(const StreamTile& part, int chunk, Place place,
                                       CachePolicy hint, int loader) const {
    const ColumnGeometry& geometry = params_.geometry;
    const int first = first_position(chunk);
    const int positions = positions_from(first);
    const std::int64_t at =
        part.tile.sample * geometry.x_sample + part.tile.begin + first * geometry.x_position;
    const T* const x = static_cast<const T*>(params_.tensors.x) + at;
    const T* const residual = static_cast<const T*>(params_.tensors.residual) + at;
    Barrier& full = barriers_.full[place.slot];
    barriers_.empty[place.slot].wait(place.parity ^ 1);
    if (loads_vectors_) {
      copy_vectors(slot_x(place.slot), x, positions, part.tile.columns, hint, loader);
      if (has_residual_) {
        copy_vectors(slot_residual(place.slot), residual, positions, part.tile.columns, hint,
                     loader);
      }
      full.arrive_after_copies();
      return;
    }
    const unsigned int position_bytes =
        static_cast<unsigned int>(part.tile.columns) * static_cast<unsigned int>(sizeof(T));
    if (threadIdx.x % 32 == 0) {
      full.arrive_expecting(static_cast<unsigned int>(positions) * position_bytes *
                            (has_residual_ ? 2 : 1));
    }
    __syncwarp();
    copy_pieces(full, slot_x(place.slot), x, positions, position_bytes, hint);
    if (has_residual_) {
      copy_pieces(full, slot_residual(place.slot), residual, positions, position_bytes, hint);
    }
  }

 private:
  /// Statistics and output.
  static constexpr int users = 2;

  __device__ __forceinline__ T* slot_x(int slot) const {
    return slots_ + slot * chunk_positions_ * stream_.tiles.width * (has_residual_ ? 2 : 1);
  }
  __device__ __forceinline__ T* slot_residual(int slot) const {
    return slot_x(slot) + chunk_positions_ * stream_.tiles.width;
  }

  /// By one lane where positions follow each other in memory as they do in a slot, else by all.
  __device__ __forceinline__ void copy_pieces(Barrier& full, T* to, const T* from, int positions,
                                              unsigned int position_bytes, CachePolicy hint) const {
    const int lane = static_cast<int>(threadIdx.x % 32);
    if (params_.geometry.x_position == stream_.tiles.width) {
      if (lane == 0) {
        full.copy(to, from, static_cast<unsigned int>(positions) * position_bytes, hint);
      }
      return;
    }
    for (int p = lane; p < positions; p += 32) {
      full.copy(to + p * stream_.tiles.width, from + p * params_.geometry.x_position,
                position_bytes, hint);
    }
  }

  /// In vectors, one a lane.
  __device__ __forceinline__ void copy_vectors(T* to, const T* from, int positions, int columns,
                                               CachePolicy hint, int loader) const {
    constexpr int kVector = 16 / static_cast<int>(sizeof(T));
    const int lanes = 32 * stream_.loaders;
    const int lane = 32 * loader + static_cast<int>(threadIdx.x % 32);
    const int row = columns / kVector;
    int position = lane / row;
    int vector = lane - position * row;
    from += position * params_.geometry.x_position + vector * kVector;
    to += position * stream_.tiles.width + vector * kVector;
    // So many lanes on, and what is to be added where that is beyond a position's end.
    const int positions_on = lanes / row;
    const int vectors_on = lanes - positions_on * row;
    const std::int64_t from_on = positions_on * params_.geometry.x_position + vectors_on * kVector;
    const std::int64_t from_wrap = params_.geometry.x_position - row * kVector;
    const int to_on = positions_on * stream_.tiles.width + vectors_on * kVector;
    const int to_wrap = stream_.tiles.width - row * kVector;
#pragma unroll 4
    while (position < positions) {
      Barrier::copy_vector(to, from, hint);
      position += positions_on;
      vector += vectors_on;
      from += from_on;
      to += to_on;
      if (vector >= row) {
        vector -= row;
        ++position;
        from += from_wrap;
        to += to_wrap;
      }
    }
  }

  const ColumnParams& params_;
  const ColumnStream& stream_;
  ColumnBarriers& barriers_;
  T* const slots_;
  const int rank_;
  const int chunk_positions_;
  const int blocks_per_tile_;
  const bool has_residual_;
  const bool loads_vectors_;
};

#endif

}  // namespace fastnorm::cuda
