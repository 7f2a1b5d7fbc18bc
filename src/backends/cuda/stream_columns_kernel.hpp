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

/// How tiles stream through the blocks. A tile's positions are cut into chunks, and chunk c goes to
/// block c % blocks_per_tile of a team, so that the team's loads are one front. Of the chunks that
/// a block loads, each is the next position warp's, whose slots are its own: it waits for nothing
/// else, and has a whole chunk's positions for what that costs.
struct ColumnStream {
  Exchange exchange = Exchange::memory;
  std::int64_t units = 1;  ///< Tiles of all samples. Team t has t, t + teams, ...
  int teams = 1;
  FastDivide blocks_per_tile;  ///< Blocks of a team.
  ColumnTiles tiles;           ///< Of whole groups each.
  ColumnThreads threads;       ///< Beside them one warp loads.
  FastDivide chunk_positions;
  int slots = 2;   ///< Chunks that a block's ring holds.
  int kept = 1;    ///< Of a tile's chunks, how many a block holds until their output.
  int cached = 0;  ///< Of the others, how many the L2 is asked to keep.
  int pieces = 1;  ///< Groups of a tile, at most.
  // Where things are in a block's shared memory, in bytes.
  int columns_at = 0;
  int groups_at = 0;
  int mailbox_at = 0;
  int ring_at = 0;

  /// A tile's: of each group one from each block, and one for all of them.
  FASTNORM_HOST_DEVICE std::int64_t unit_messages() const {
    return std::int64_t{pieces} * (static_cast<int>(blocks_per_tile.divisor()) + 1);
  }
};

inline constexpr int most_column_slots = 64;
/// Of a block, the one that loads among them. With more, registers would be spilled.
constexpr int most_column_stream_warps(RowForm form) { return form == RowForm::plain ? 20 : 16; }

/// Sets the places in shared memory, and answers how many bytes there are up to the ring.
int place_column_stream(DType type, ColumnStream& stream);

/// __global__ void (ColumnParams, ColumnStream, PartialMessage*), for cudaLaunchKernel.
const void* stream_columns_kernel_address(DType type, RowForm form);

}  // namespace fastnorm::cuda
