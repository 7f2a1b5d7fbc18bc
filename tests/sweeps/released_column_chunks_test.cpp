// SPDX-License-Identifier: Apache-2.0
// Tiles that a team of blocks cannot hold: stream_columns holds some chunks and lets the others go,
// or all of them where every slot is needed to take them in, and reads those again for the output.
// What the strategy proposes are teams with room for a tile, as long as the device has enough
// blocks for one; a matrix of moderate height outgrows only a team that is forced to be small.
#include "backends/cuda/column_config.hpp"
#include "backends/cuda/device/column_params.hpp"
#include "backends/cuda/row_config.hpp"
#include "backends/cuda/stream_columns_kernel.hpp"
#include "core/integer.hpp"
#include "cuda/captured_kernel.hpp"
#include "cuda/cuda_target.hpp"
#include "released_chunks.hpp"
#include "support/places.hpp"
#include "support/shapes.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace fastnorm::test {
namespace {

constexpr int tile = 64;

/// Blocks that have half of a processor's shared memory, which they cut into so many slots that
/// chunks can be held.
cuda::StreamColumnsConfig small_team(int blocks_per_tile, cuda::Exchange exchange) {
  cuda::StreamColumnsConfig config;
  config.tile = tile;
  config.blocks_per_tile = blocks_per_tile;
  config.exchange = exchange;
  config.blocks_per_processor = 2;
  config.statistics_warps = 1;
  config.output_warps = 2;
  config.slots_per_warp = 4;
  return config;
}

/// Blocks that have a processor each, with a slot for each warp that writes, all of which let
/// chunks pass. A chunk has at most so many positions; of short ones it takes more warps to fill a
/// block's memory, more than half a processor has in every form.
cuda::StreamColumnsConfig holding_nothing(const NormDesc& desc, int blocks_per_tile,
                                          cuda::Exchange exchange) {
  cuda::StreamColumnsConfig config = small_team(blocks_per_tile, exchange);
  const bool short_positions = size_of(desc.x_type) == 2 && desc.residual == Residual::none;
  config.blocks_per_processor = 1;
  config.output_warps = short_positions ? 8 : 4;
  config.slots_per_warp = 1;
  return config;
}

/// Positions of which three blocks cannot hold a tile; no multiple of what a warp has at once.
std::int64_t tall(DType type) {
  return std::int64_t{500} * 1024 / (tile * static_cast<std::int64_t>(size_of(type))) + 3;
}

/// Whether the blocks have more chunks of a tile than slots, and hold some where they are to.
void expect_released(const CapturedKernel& captured, const cuda::StreamColumnsConfig& config,
                     const NormDesc&) {
  const std::int64_t positions = captured.parameter<cuda::ColumnParams>(0).geometry.positions;
  const auto stream = captured.parameter<cuda::ColumnStream>(1);
  EXPECT_EQ(stream.retention, cuda::ColumnRetention::part);
  EXPECT_GT(
      ceil_divide(ceil_divide(positions, stream.chunk_positions.divisor()), config.blocks_per_tile),
      stream.slots());
  EXPECT_EQ(stream.held_slots > 0, config.slots_per_warp > 1);
}

class ReleasedColumnChunks : public ReleasedChunksTest {
 protected:
  ReleasedColumnChunks()
      : ReleasedChunksTest("stream_columns", channels_last(group_norm_desc({2, tile, 500}, 8))) {}

  void check(const NormDesc& desc, const std::vector<cuda::StreamColumnsConfig>& configs) const {
    ReleasedChunksTest::check(desc, configs, expect_released);
  }

  /// In teams of one block, two and three.
  void check(const NormDesc& desc) const {
    constexpr auto memory = cuda::Exchange::memory;
    constexpr auto cluster = cuda::Exchange::cluster;
    check(desc, {small_team(1, memory), small_team(3, memory), small_team(2, cluster),
                 holding_nothing(desc, 1, memory), holding_nothing(desc, 2, cluster)});
  }
};

// Of a tile and a half: the last tile is narrower.
TEST_F(ReleasedColumnChunks, OfEveryType) {
  for (const Types& types : offered_types()) {
    check(with_types(channels_last(group_norm_desc({1, 96, tall(types.x)}, 12)), types));
  }
}

// As wide as a tile: chunks are contiguous.
TEST_F(ReleasedColumnChunks, OfEveryOperation) {
  for (const DType type : {DType::f32, DType::f16}) {
    const std::int64_t positions = tall(type);
    check(with_type(channels_last(group_norm_desc({2, tile, positions}, 4)), type));
    check(with_type(channels_last(instance_norm_desc({1, tile, positions})), type));
    check(with_type(over_channels(layer_norm_desc({1, tile, positions})), type));
    check(with_type(over_channels(rms_norm_desc({1, tile, positions})), type));
  }
}

TEST_F(ReleasedColumnChunks, OfASum) {
  for (const DType type : {DType::f32, DType::f16}) {
    for (const Residual residual : {Residual::rounded_sum, Residual::exact_sum}) {
      for (const std::int64_t width : {tile, tile + tile / 2}) {
        NormDesc desc =
            with_type(channels_last(group_norm_desc({1, width, tall(type)}, width / 8)), type);
        desc.residual = residual;
        check(desc);
      }
    }
  }
}

// Positions so long that each is a copy of its own.
TEST_F(ReleasedColumnChunks, OfLongPositions) {
  for (const DType type : {DType::f32, DType::f16}) {
    const std::int64_t columns =
        cuda::least_bulk_copy_bytes / static_cast<std::int64_t>(size_of(type));
    cuda::StreamColumnsConfig config = small_team(1, cuda::Exchange::memory);
    config.tile = static_cast<int>(columns);
    config.blocks_per_processor = 1;
    config.statistics_warps = 4;
    config.output_warps = 8;
    config.slots_per_warp = 2;
    check(with_type(channels_last(group_norm_desc({1, 2 * columns, 251}, 8)), type), {config});
  }
}

// The next tile's chunks are loaded while the tile before is written.
TEST_F(ReleasedColumnChunks, TileAfterTile) {
  cuda::StreamColumnsConfig config = small_team(1, cuda::Exchange::memory);
  const std::int64_t more_than_teams =
      std::int64_t{cuda_device().processors} * config.blocks_per_processor + 5;
  NormDesc desc = channels_last(group_norm_desc({more_than_teams, tile, 350}, 8));
  desc.residual = Residual::exact_sum;
  check(desc, {config});
}

}  // namespace
}  // namespace fastnorm::test
