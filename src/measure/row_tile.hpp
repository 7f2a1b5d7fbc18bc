// SPDX-License-Identifier: Apache-2.0
/// How the threads of a device's blocks share rows, so that neighbouring threads meet neighbouring
/// memory. For host and device.
#pragma once

#include "measure/places.hpp"

#include <algorithm>
#include <cstdint>

namespace fastnorm::measure {

/// A block's threads: `unit` on elements of a row that follow each other, beside them the same of
/// the next rows, and then those of the first row again, `depth` times. All are powers of two.
///
/// A long contiguous row has all threads, short ones share the block. Where rows take turns, as in
/// channels-last tensors, the unit is about a run and the next rows' are the next in memory; a
/// column is a row with runs of one.
///
/// A task is `share` elements of each of the block's rows: few long rows then keep a device as busy
/// as many short ones do.
struct RowTile {
  int unit;
  int rows;
  int depth;
  std::int64_t share;
  std::int64_t row_tiles;
  std::int64_t tasks;  ///< All shares of all rows.

  static constexpr int threads = 256;

  /// The threads on one row.
  constexpr int lanes() const noexcept { return unit * depth; }
};

/// What one thread does of a task: the elements first, first + step... before end of one row.
struct ThreadShare {
  std::int64_t row;
  std::int64_t first;
  std::int64_t end;
  int step;
  int row_in_tile;
  int lane;  ///< Among the threads on this row.

  constexpr bool empty() const noexcept { return first >= end; }
};

/// The smallest power of two that is not less than the count, or `most`.
constexpr int power_of_two_for(std::int64_t count, int most) noexcept {
  int power = 1;
  while (power < most && power < count) power *= 2;
  return power;
}

/// For walking a tensor with these strides. A thread takes `least` elements of a row or more: of a
/// large tensor many, since each task has costs of its own.
constexpr RowTile row_tile_for(const RowMemory& memory, const RowStrides& strides,
                               std::int64_t least) noexcept {
  // In memory, for a warp: 64 bytes of the smallest elements. So a row has eight threads at least,
  // or one an element.
  constexpr int neighbours = 32;
  const std::int64_t rows = memory.outers * memory.rows_per_outer;
  const std::int64_t row_len = memory.runs * memory.run_len;
  RowTile tile{};
  if (rows_take_turns(memory, strides) && memory.run_len < neighbours) {
    tile.unit = power_of_two_for(memory.run_len, neighbours);
    tile.rows = power_of_two_for(memory.rows_per_outer, neighbours / tile.unit);
  } else {
    tile.unit = power_of_two_for(row_len, RowTile::threads);
    tile.rows = RowTile::threads / tile.unit;
  }
  tile.depth = RowTile::threads / (tile.unit * tile.rows);
  constexpr std::int64_t busy_threads = std::int64_t{1} << 20;
  constexpr std::int64_t most = 128;
  const std::int64_t of_thread = std::clamp(rows * row_len / busy_threads, least, most);
  tile.share = of_thread * tile.lanes();
  tile.row_tiles = (rows + tile.rows - 1) / tile.rows;
  tile.tasks = tile.row_tiles * ((row_len + tile.share - 1) / tile.share);
  return tile;
}

constexpr ThreadShare share_of_thread(const RowMemory& memory, const RowTile& tile,
                                      std::int64_t task, int thread) noexcept {
  const std::int64_t rows = memory.outers * memory.rows_per_outer;
  const std::int64_t row_len = memory.runs * memory.run_len;
  ThreadShare share{};
  share.row_in_tile = thread / tile.unit % tile.rows;
  share.lane = thread / (tile.unit * tile.rows) * tile.unit + thread % tile.unit;
  share.row = task % tile.row_tiles * tile.rows + share.row_in_tile;
  share.step = tile.lanes();
  const std::int64_t begin = task / tile.row_tiles * tile.share;
  share.first = begin + share.lane;
  // The last tile may have fewer rows.
  share.end = share.row < rows ? std::min(begin + tile.share, row_len) : begin;
  return share;
}

}  // namespace fastnorm::measure
