// SPDX-License-Identifier: Apache-2.0
/// The launch parameters of the column strategies.
#pragma once

#include "backends/cuda/row_config.hpp"

namespace fastnorm::cuda {

/// A sample by several blocks, each of which reads its part twice.
struct SplitColumnsConfig {
  int tile = 64;      ///< Columns of a block.
  int parts = 1;      ///< Blocks that share a tile's positions.
  int threads = 256;  ///< Of a block: as many warps as lie over the tile, or a multiple.
  int vec_width = 4;  ///< Columns of a thread: 1, or as many as an access has.
  WalkOrder second_read = WalkOrder::forward;
  LoadPriority load = LoadPriority::normal;
  StorePriority store = StorePriority::normal;

  CacheUse cache() const { return {load, store, second_read}; }

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("tile", self.tile);
    visit("parts", self.parts);
    visit("threads", self.threads);
    visit("vec_width", self.vec_width);
    visit("second_read", self.second_read);
    visit("load", self.load);
    visit("store", self.store);
  }
};

/// A tile spread over a team of blocks, through which tiles stream.
struct StreamColumnsConfig {
  int tile = 64;  ///< Columns: whole groups.
  int blocks_per_tile = 1;
  Exchange exchange = Exchange::memory;  ///< cluster: for 2, 4, 8 or 16 blocks a tile.
  int blocks_per_processor = 1;          ///< While one waits, another moves memory.
  int statistics_warps = 4;  ///< Of a block, that take moments: as many as lie over the tile, or a
                             ///< multiple;
  int output_warps = 8;      ///< that write: as many again, or a multiple.
  int slots_per_warp = 2;    ///< Of one that writes and its neighbours at the same positions: 1 to
                             ///< 16.
  LoadPriority load = LoadPriority::evict_last;
  StorePriority store = StorePriority::normal;

  CacheUse cache() const { return {load, store, WalkOrder::backward}; }

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("tile", self.tile);
    visit("blocks_per_tile", self.blocks_per_tile);
    visit("exchange", self.exchange);
    visit("blocks_per_processor", self.blocks_per_processor);
    visit("statistics_warps", self.statistics_warps);
    visit("output_warps", self.output_warps);
    visit("slots_per_warp", self.slots_per_warp);
    visit("load", self.load);
    visit("store", self.store);
  }
};

/// A tile in the registers of a block, or of a cluster of blocks that share its positions.
struct ResidentColumnsConfig {
  int tile = 64;      ///< Columns: whole groups.
  int cluster = 1;    ///< Blocks of a tile: 1, 2, 4, 8 or 16.
  int threads = 256;  ///< Of a block: as many warps as lie over the tile, or a multiple.
  int vec_width = 4;  ///< Columns of a thread: 1, or as many as an access has.
  int unroll = 8;     ///< Positions of a thread at most, all loaded before the first is used.
  LoadPriority load = LoadPriority::normal;
  StorePriority store = StorePriority::normal;

  KernelShape shape() const { return {vec_width, unroll}; }
  CacheUse cache() const { return {load, store, WalkOrder::forward}; }

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("tile", self.tile);
    visit("cluster", self.cluster);
    visit("threads", self.threads);
    visit("vec_width", self.vec_width);
    visit("unroll", self.unroll);
    visit("load", self.load);
    visit("store", self.store);
  }
};

}  // namespace fastnorm::cuda
