// SPDX-License-Identifier: Apache-2.0
/// The persistent kernel of strategy stream_columns, as its launcher sees it.
#pragma once

#include "backends/cuda/device/column_params.hpp"
#include "backends/cuda/device/fast_divide.hpp"
#include "backends/cuda/device/host_device.hpp"
#include "backends/cuda/messages.hpp"
#include "backends/cuda/row_config.hpp"

#include <fastnorm/types.hpp>

#include <cstdint>

namespace fastnorm::cuda {

inline constexpr int most_column_slots = 64;
/// Of a block's warps, those that receive,
inline constexpr int column_exchange_warps = 2;
/// and those that load: one where a chunk is one piece of memory or of long ones, which bulk copies
/// fetch.
inline constexpr int column_vector_loaders = 3;
/// What a bulk copy of each position is worth: below, the processor's copy engine is too slow.
inline constexpr int least_bulk_copy_bytes = 1024;

/// What the ring holds of a tile until its output.
enum class ColumnRetention {
  tile,  ///< All of it.
  part,  ///< The chunks that have slots of their own; the others come through the ring again.
};

/// How tiles stream through the blocks. A tile's positions are cut into chunks, and chunk c goes to
/// block c % blocks_per_tile of a team, so that the team's loads are one front. Of the chunks that
/// a block loads, each is the next position warp's: it waits for nothing else, and has a whole
/// chunk's positions for what that costs.
struct ColumnStream {
  Exchange exchange = Exchange::memory;
  std::int64_t units = 1;  ///< Tiles of all samples. Team t has t, t + teams, ...
  int teams = 1;
  FastDivide blocks_per_tile;  ///< Blocks of a team.
  ColumnTiles tiles;           ///< Of whole groups each.
  ColumnThreads statistics;    ///< Of a block's first warps, which take moments, and of
  ColumnThreads output;        ///< the next ones, which write. Then come column_exchange_warps,
  int loaders = 1;             ///< and those that load.
  FastDivide chunk_positions;
  ColumnRetention retention = ColumnRetention::tile;
  int held_slots = 0;  ///< With ColumnRetention::part, as many at most as a block has chunks.
  int ring_slots = 1;  ///< A multiple of the output's position warps, as these are of the others'.
  int cached = 0;      ///< Of the chunks that come again, how many the L2 is asked to keep.
  int pieces = 1;      ///< Groups of a tile, at most.
  // Where things are in a block's shared memory, in bytes.
  int columns_at = 0;
  int groups_at = 0;
  int mailbox_at = 0;
  int ring_at = 0;

  constexpr int slots() const { return held_slots + ring_slots; }
  constexpr int warps() const {
    return statistics.warps() + output.warps() + column_exchange_warps + loaders;
  }

  /// A tile's: of each group one from each block, and one for all of them.
  FASTNORM_HOST_DEVICE std::int64_t unit_messages() const {
    return std::int64_t{pieces} * (static_cast<int>(blocks_per_tile.divisor()) + 1);
  }
};

/// Of a block, all tasks' together. With more, registers would be spilled.
constexpr int most_column_stream_warps(RowForm form) { return form == RowForm::plain ? 20 : 16; }

/// Sets the places in shared memory, and answers how many bytes there are up to the ring.
int place_column_stream(DType type, ColumnStream& stream);

/// __global__ void (ColumnParams, ColumnStream, PartialMessage*), for cudaLaunchKernel.
const void* stream_columns_kernel_address(DType type, RowForm form);

}  // namespace fastnorm::cuda
