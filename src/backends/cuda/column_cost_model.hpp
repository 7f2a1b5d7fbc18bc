// SPDX-License-Identifier: Apache-2.0
/// What a column kernel is expected to take, as row_cost_model.hpp says it of rows.
#pragma once

#include "backends/cuda/device/column_params.hpp"
#include "backends/cuda/row_config.hpp"
#include "core/device_info.hpp"
#include "core/problem.hpp"

#include <cstdint>

namespace fastnorm::cuda {

/// A block's share where each part of a tile is read twice.
struct ColumnWork {
  std::int64_t blocks = 0;
  ColumnThreads threads;
  int tile = 1;  ///< Columns: of a position, what is contiguous.
  int vec_width = 1;
  std::int64_t positions = 0;  ///< Of a block.
  int parts = 1;               ///< Whose pieces each block merges,
  int tiles = 1;
  int pieces = 1;       ///< so many.
  int group_width = 1;  ///< Columns.
  AffineAxis affine = AffineAxis::column;
  CacheUse cache;
};

double estimate_split_columns_us(const Problem& problem, const DeviceInfo& device,
                                 const ColumnWork& work);

/// How tiles stream through a persistent grid.
struct ColumnStreamWork {
  int blocks_per_tile = 1;
  int blocks_per_processor = 1;
  Exchange exchange = Exchange::memory;
  int tiles = 1;               ///< Of a sample,
  std::int64_t units = 0;      ///< and of all samples,
  std::int64_t teams = 0;      ///< by so many teams at most.
  std::int64_t positions = 0;  ///< Of a tile.
  std::int64_t chunks = 0;     ///< Of a tile, a block.
  std::int64_t slots = 0;      ///< Chunks that a block has room for,
  std::int64_t held = 0;       ///< and of a tile, those that it holds.
  std::int64_t cached = 0;     ///< Of the others, how many the L2 keeps at most.
  std::int64_t chunk_positions = 1;
  int tile = 1;            ///< Columns.
  bool contiguous = true;  ///< A chunk is one piece of memory.
  ColumnThreads statistics;
  ColumnThreads output;
  int loaders = 1;
  int pieces = 1;       ///< Groups of a tile,
  int group_width = 1;  ///< of so many columns.
  AffineAxis affine = AffineAxis::column;
};

double estimate_stream_columns_us(const Problem& problem, const DeviceInfo& device,
                                  const ColumnStreamWork& work);

}  // namespace fastnorm::cuda
