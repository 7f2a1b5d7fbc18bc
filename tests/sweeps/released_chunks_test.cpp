// SPDX-License-Identifier: Apache-2.0
// Rows that a team of blocks cannot hold, or is not to hold: stream_row lets their first chunks go
// and reads them again for the output. What the strategy proposes are teams with room for a row, as
// long as the device has enough blocks for one; a row of moderate length outgrows only a team that
// is forced to be small.
#include "released_chunks.hpp"

#include "backends/cuda/row_config.hpp"
#include "backends/cuda/stream_row_kernel.hpp"
#include "cuda/captured_kernel.hpp"
#include "cuda/cuda_target.hpp"
#include "cuda/stream_chunks.hpp"
#include "support/shapes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace fastnorm::test {
namespace {

cuda::StreamConfig small_team(int blocks_per_row, int slot_kib) {
  cuda::StreamConfig config;
  config.blocks_per_row = blocks_per_row;
  config.slot_kib = slot_kib;
  config.apply_groups = 1;
  return config;
}

/// More than the shared memory of two blocks, and no multiple of a vector.
std::int64_t long_row(DType type) {
  return std::int64_t{600} * 1024 / static_cast<std::int64_t>(size_of(type)) + 3;
}

/// Whether the kernel has more of a row than it is to hold, and holds what the configuration says
/// of what its ring has room for.
void expect_released(const CapturedKernel& captured, const cuda::StreamConfig& config,
                     const NormDesc& desc) {
  const auto shape = captured.parameter<cuda::StreamShape>(1);
  const int chunks = chunks_of_first_block(desc, shape);
  const int room = std::min(chunks, shape.slots);
  EXPECT_EQ(shape.kept, std::max(1, (room * config.held_percent + 99) / 100));
  EXPECT_LT(shape.kept, chunks) << "nothing is released";
}

class ReleasedChunks : public ReleasedChunksTest {
 protected:
  ReleasedChunks() : ReleasedChunksTest("stream_row", layer_norm_desc({3, long_row(DType::f32)})) {}

  void check(const NormDesc& desc, const std::vector<cuda::StreamConfig>& configs) const {
    ReleasedChunksTest::check(desc, configs, expect_released);
  }

  /// In teams of one block and of two; what is read again fills a ring in part, or several times.
  void check(const NormDesc& desc) const {
    check(desc, {small_team(1, 16), small_team(2, 16), small_team(2, 4)});
  }
};

TEST_F(ReleasedChunks, OfEveryType) {
  for (const Types& types : offered_types()) {
    check(with_types(layer_norm_desc({3, long_row(types.x)}), types));
  }
}

TEST_F(ReleasedChunks, OfEveryOperation) {
  for (const DType type : {DType::f32, DType::f16}) {
    const std::int64_t length = long_row(type);
    check(with_type(group_norm_desc({1, 6, length / 3 + 1}, 2), type));
    check(with_type(instance_norm_desc({1, 2, length}), type));
    check(with_type(rms_norm_desc({2, length}), type));
  }
}

TEST_F(ReleasedChunks, OfASum) {
  for (const DType type : {DType::f32, DType::bf16}) {
    for (const Residual residual : {Residual::rounded_sum, Residual::exact_sum}) {
      NormDesc desc = with_type(layer_norm_desc({2, long_row(type)}), type);
      desc.residual = residual;
      check(desc);
    }
  }
}

// The next row's chunks are loaded while the row before is written, and its first ones once more.
TEST_F(ReleasedChunks, RowAfterRow) {
  const std::int64_t more_than_teams = cuda_device().processors + 5;
  check(layer_norm_desc({more_than_teams, 36001}), {small_team(1, 4)});
}

// Rows that a team has room for, so that several groups of warps may write.
TEST_F(ReleasedChunks, OfRowsHeldInPart) {
  std::vector<cuda::StreamConfig> configs;
  for (const int percent : {75, 50, 1}) {
    for (const int groups : {1, 2, 8}) {
      cuda::StreamConfig config = small_team(2, 4);
      config.held_percent = percent;
      config.apply_groups = groups;
      configs.push_back(config);
      config.exchange = cuda::Exchange::cluster;
      configs.push_back(config);
      config.blocks_per_row = 1;
      config.exchange = cuda::Exchange::memory;
      configs.push_back(config);
    }
  }
  const std::int64_t several_a_team = 3 * cuda_device().processors + 5;
  for (const DType type : {DType::f32, DType::bf16}) {
    const auto length = 40000 / static_cast<std::int64_t>(size_of(type)) + 3;
    check(with_type(layer_norm_desc({several_a_team, length}), type), configs);
    check(with_type(group_norm_desc({several_a_team, 8, length / 4}, 2), type), configs);
  }
}

}  // namespace
}  // namespace fastnorm::test
