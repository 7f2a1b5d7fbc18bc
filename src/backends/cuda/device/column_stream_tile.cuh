// SPDX-License-Identifier: Apache-2.0
/// Which tiles a team of strategy stream_columns has, which chunks of them a block, and in which
/// slots those lie.
#pragma once

#include "backends/cuda/device/column_moments.cuh"
#include "backends/cuda/device/stream_place.cuh"
#include "backends/cuda/stream_columns_kernel.hpp"

#include <cstdint>

namespace fastnorm::cuda {

/// A tile, and its number among those of all samples.
struct StreamTile {
  ColumnTile tile;
  std::int64_t unit;
};

/// A team as one of its blocks sees it.
struct StreamTeam {
  int team;
  int rank;   ///< Of the block.
  int tiles;  ///< Of the team, numbered from 0.

  explicit __device__ __forceinline__ StreamTeam(const ColumnStream& stream)
      : team(static_cast<int>(stream.blocks_per_tile.quotient(blockIdx.x))),
        rank(static_cast<int>(blockIdx.x) -
             team * static_cast<int>(stream.blocks_per_tile.divisor())),
        tiles(static_cast<int>((stream.units - team + stream.teams - 1) / stream.teams)) {}

  __device__ __forceinline__ StreamTile tile(const ColumnGeometry& geometry,
                                             const ColumnStream& stream, int number) const {
    const std::int64_t of = team + static_cast<std::int64_t>(number) * stream.teams;
    return {ColumnTile(geometry, stream.tiles, of / stream.tiles.count,
                       static_cast<int>(of % stream.tiles.count)),
            of};
  }
};

/// What a block has of each tile: `chunks` of its chunks, of which it holds the first `held` from
/// their moments to their output, each in a slot of its own. The others pass through the ring: once
/// where the ring has room for whole tiles, else once for their moments and once more for their
/// output.
struct StreamPart {
  int chunks;
  int held;

  __device__ __forceinline__ StreamPart(const ColumnGeometry& geometry, const ColumnStream& stream,
                                        int rank)
      : chunks(chunks_of(geometry, stream, rank)), held(chunks - passing_of(stream, chunks)) {}

  static __device__ __forceinline__ bool comes_again(const ColumnStream& stream) {
    return stream.retention == ColumnRetention::part;
  }
  /// Chunks that come through the ring.
  __device__ __forceinline__ int passing() const { return chunks - held; }
  /// How often the ring is loaded.
  __device__ __forceinline__ int passes(const ColumnStream& stream) const {
    return comes_again(stream) ? 2 * passing() : passing();
  }
  /// The chunk of the ring's load number `pass`: those that come again do so the latest first,
  /// since the L2 has it with the best chance.
  __device__ __forceinline__ int chunk_of_pass(int pass) const {
    return pass < passing() ? held + pass : chunks - 1 - (pass - passing());
  }

  /// The position warp of the statistics that has the first chunk of tile `number`.
  __device__ __forceinline__ int first_warp(const ColumnStream& stream, int number) const {
    if (held > 0) return 0;
    const int warps = stream.statistics.position_warps;
    return number % warps * (passes(stream) % warps) % warps;
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

 private:
  static __device__ __forceinline__ int chunks_of(const ColumnGeometry& geometry,
                                                  const ColumnStream& stream, int rank) {
    const auto all = static_cast<int>(stream.chunk_positions.quotient(
        static_cast<std::uint32_t>(geometry.positions) + stream.chunk_positions.divisor() - 1));
    const auto blocks = stream.blocks_per_tile.divisor();
    return static_cast<int>(stream.blocks_per_tile.quotient(
        static_cast<std::uint32_t>(all) + blocks - 1 - static_cast<std::uint32_t>(rank)));
  }

  /// As many for each position warp: then a chunk is the same warp's in every tile, and its sums
  /// are formed in the same order. (Those of the statistics are a divisor of the output's.)
  static __device__ __forceinline__ int passing_of(const ColumnStream& stream, int chunks) {
    if (!comes_again(stream)) return chunks;
    const int warps = stream.output.position_warps;
    const int beyond = chunks > stream.held_slots ? chunks - stream.held_slots : 0;
    const int even = (beyond + warps - 1) / warps * warps;
    return even < chunks ? even : chunks;
  }
};

/// A walk through the ring's loads, of which every `warps`-th is one's own. Whoever walks has as
/// many warps as divide the ring's slots: a slot is the same one's for good, since a barrier can be
/// asked only for the phase that follows those that one knows to have ended.
class RingWalk {
 public:
  __device__ __forceinline__ RingWalk(int first, int warps)
      : warps_(warps), place_{first, 0}, pass_(first) {}

  /// The next load: its number in the tile, and where it lies.
  __device__ __forceinline__ int pass() const { return pass_; }
  __device__ __forceinline__ Place place() const { return place_; }

  __device__ __forceinline__ void advance(const ColumnStream& stream) {
    pass_ += warps_;
    place_.advance(warps_, stream.ring_slots);
  }
  __device__ __forceinline__ void skip_to(int pass, const ColumnStream& stream) {
    while (pass_ < pass) advance(stream);
  }
  /// On to the next tile, after so many loads.
  __device__ __forceinline__ void finish_tile(int passes) { pass_ -= passes; }

 private:
  const int warps_;
  Place place_;
  int pass_;
};

/// A walk through the chunks of tile after tile, of those that are held and of those that pass,
/// every `warps`-th of each.
struct ChunkWalk {
  int tile = 0;
  int held;
  RingWalk ring;
  const int first;
  const int warps;

  __device__ __forceinline__ ChunkWalk(int first_of, int warps_of)
      : held(first_of), ring(first_of, warps_of), first(first_of), warps(warps_of) {}

  __device__ __forceinline__ void advance(bool is_held, const ColumnStream& stream) {
    if (is_held) {
      held += warps;
    } else {
      ring.advance(stream);
    }
  }
  __device__ __forceinline__ void finish_tile(const StreamPart& part, const ColumnStream& stream) {
    ring.skip_to(part.passes(stream), stream);
    ring.finish_tile(part.passes(stream));
    held = first;
    ++tile;
  }
};

}  // namespace fastnorm::cuda
