// SPDX-License-Identifier: Apache-2.0
/// The launch parameters of the row strategies.
#pragma once

#include <array>
#include <string_view>

namespace fastnorm::cuda {

/// Which end of the row the second read starts from. Backwards meets what the first read left in
/// L2.
enum class WalkOrder { forward, backward };
constexpr std::array<std::string_view, 2> enum_names(WalkOrder) { return {"forward", "backward"}; }

/// What loads of x ask of the L2 for their lines.
enum class LoadPriority { normal, evict_first, evict_last };
constexpr std::array<std::string_view, 3> enum_names(LoadPriority) {
  return {"normal", "evict_first", "evict_last"};
}

/// The same of stores.
enum class StorePriority { normal, evict_first };
constexpr std::array<std::string_view, 2> enum_names(StorePriority) {
  return {"normal", "evict_first"};
}

/// How a kernel treats the caches; for kernels, choices at run time.
struct CacheUse {
  LoadPriority load = LoadPriority::normal;
  StorePriority store = StorePriority::normal;
  WalkOrder second_read = WalkOrder::forward;

  /// Of a second read. It is the last one: a line that had a priority need not keep it.
  constexpr LoadPriority last_load() const {
    return load == LoadPriority::normal ? LoadPriority::normal : LoadPriority::evict_first;
  }
};

/// What decides a kernel's instantiation, beside the element type.
struct KernelShape {
  int vec_width = 4;  ///< Elements a load: 1, or as many as make 16 bytes.
  int unroll = 4;     ///< Loads in flight a thread.
};

/// The largest block of a kernel whose threads unpack so many 32-bit words of values at a time:
/// with more threads, they would not fit the registers that are left to each.
constexpr int max_threads(int words) { return words > 16 ? 512 : 1024; }

/// The unroll of every kernel that loads single elements: the slow way round is not worth more.
inline constexpr int scalar_unroll = 4;

/// What every two-read strategy has. A strategy's own config adds to it.
struct RowConfig {
  int threads = 256;  ///< Of a block: 64 to 1024, a multiple of 32.
  int vec_width = 4;
  int unroll = 4;
  WalkOrder second_read = WalkOrder::forward;
  LoadPriority load = LoadPriority::normal;
  StorePriority store = StorePriority::normal;

  KernelShape shape() const { return {vec_width, unroll}; }
  CacheUse cache() const { return {load, store, second_read}; }

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("threads", self.threads);
    visit("vec_width", self.vec_width);
    visit("unroll", self.unroll);
    visit("second_read", self.second_read);
    visit("load", self.load);
    visit("store", self.store);
  }
};

struct SplitRowConfig : RowConfig {
  int splits = 2;  ///< Blocks a row.

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("splits", self.splits);
    RowConfig::fields(self, visit);
  }
};

/// A row by a team of blocks of a persistent grid, each of which reads its part twice.
struct WindowConfig : RowConfig {
  int blocks_per_row = 1;  ///< Of a team. As many teams run as have room, on the device and in L2.

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("blocks_per_row", self.blocks_per_row);
    RowConfig::fields(self, visit);
  }
};

/// The same for tensors that differ in their distance from a vector's boundary.
template <class AnyRowConfig>
AnyRowConfig scalar(AnyRowConfig config) {
  config.vec_width = 1;
  config.unroll = scalar_unroll;
  return config;
}

/// The largest block whose threads keep so many vectors in registers, and with that the compiler's
/// bound on registers: 80 a thread, or 96 with eight vectors.
constexpr int resident_max_threads(int unroll) { return unroll < 8 ? 768 : 640; }

/// What every strategy has whose threads hold a row in registers: x is read once.
struct ResidentConfig {
  int threads = 256;  ///< Of a block.
  int vec_width = 4;
  int unroll = 4;  ///< Vectors a thread.
  LoadPriority load = LoadPriority::normal;
  StorePriority store = StorePriority::normal;

  KernelShape shape() const { return {vec_width, unroll}; }
  CacheUse cache() const { return {load, store, WalkOrder::forward}; }

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("threads", self.threads);
    visit("vec_width", self.vec_width);
    visit("unroll", self.unroll);
    visit("load", self.load);
    visit("store", self.store);
  }
};

/// The largest block of warps that hold a row or several each: they share nothing.
inline constexpr int warp_row_max_threads = 512;

struct WarpRowConfig : ResidentConfig {
  int lanes = 32;  ///< A row's, neighbours in a warp: a power of two.

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("lanes", self.lanes);
    ResidentConfig::fields(self, visit);
  }
};

/// What a cluster may have of blocks on any device that has clusters of more than 8.
inline constexpr int most_cluster_blocks = 16;

struct ClusterRowConfig : ResidentConfig {
  int cluster = 2;  ///< A row's blocks: 2, 4, 8 or 16.

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("cluster", self.cluster);
    ResidentConfig::fields(self, visit);
  }
};

/// Where the blocks of a team meet with their parts of a row.
enum class Exchange {
  memory,   ///< In the L2, where each polls for the others': any number of blocks.
  cluster,  ///< In each other's shared memory: blocks of one cluster.
};
constexpr std::array<std::string_view, 2> enum_names(Exchange) { return {"memory", "cluster"}; }

/// A row spread over a team of blocks, one a processor, through which rows stream.
struct StreamConfig {
  int blocks_per_row = 1;
  Exchange exchange = Exchange::memory;  ///< cluster: for 2, 4, 8 or 16 blocks a row.
  int slot_kib = 16;  ///< Of x that a block loads at a time: 4 to 32, a power of two.
  int statistics_warps = 4;
  int apply_warps = 8;
  int apply_groups = 2;    ///< Of those warps; chunks go to them in turn.
  int held_percent = 100;  ///< Of the chunks of a row that the ring has room for.
  LoadPriority load = LoadPriority::evict_last;
  StorePriority store = StorePriority::normal;

  CacheUse cache() const { return {load, store, WalkOrder::backward}; }

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("blocks_per_row", self.blocks_per_row);
    visit("exchange", self.exchange);
    visit("slot_kib", self.slot_kib);
    visit("statistics_warps", self.statistics_warps);
    visit("apply_warps", self.apply_warps);
    visit("apply_groups", self.apply_groups);
    visit("held_percent", self.held_percent);
    visit("load", self.load);
    visit("store", self.store);
  }
};

}  // namespace fastnorm::cuda
