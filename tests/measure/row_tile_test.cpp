// SPDX-License-Identifier: Apache-2.0
/// Which thread of a device's reference takes which element.
#include "measure/row_tile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace fastnorm::measure {
namespace {

struct Layout {
  const char* name;
  RowMemory memory;
};

void PrintTo(const Layout& layout, std::ostream* out) { *out << layout.name; }

RowMemory memory_of(std::int64_t outers, std::int64_t rows_per_outer, std::int64_t runs,
                    std::int64_t run_len, const RowStrides& strides) {
  return {outers, rows_per_outer, runs, run_len, strides, strides};
}

class RowTiles : public ::testing::TestWithParam<Layout> {};

TEST_P(RowTiles, EveryElementHasOneThread) {
  const RowMemory& memory = GetParam().memory;
  const std::int64_t rows = memory.outers * memory.rows_per_outer;
  const std::int64_t row_len = memory.runs * memory.run_len;
  for (const std::int64_t least : {4, 32}) {
    const RowTile tile = row_tile_for(memory, memory.x, least);
    ASSERT_EQ(tile.unit * tile.rows * tile.depth, RowTile::threads);
    EXPECT_GE(tile.lanes(), std::min<std::int64_t>(8, row_len));
    std::vector<int> taken(static_cast<std::size_t>(rows * row_len), 0);
    for (std::int64_t task = 0; task < tile.tasks; ++task) {
      std::vector<bool> slots(RowTile::threads, false);
      for (int thread = 0; thread < RowTile::threads; ++thread) {
        const ThreadShare share = share_of_thread(memory, tile, task, thread);
        const auto slot = static_cast<std::size_t>(share.row_in_tile * tile.lanes() + share.lane);
        ASSERT_FALSE(slots.at(slot)) << "two threads have one slot";
        slots[slot] = true;
        for (std::int64_t i = share.first; i < share.end; i += share.step) {
          ASSERT_LT(share.row, rows);
          ASSERT_LT(i, row_len);
          ++taken[static_cast<std::size_t>(share.row * row_len + i)];
        }
        // Where a row has a share at all, its first thread adds it.
        if (!share.empty()) {
          const int first = thread % (tile.unit * tile.rows) / tile.unit * tile.unit;
          EXPECT_FALSE(share_of_thread(memory, tile, task, first).empty());
        }
      }
    }
    for (std::size_t at = 0; at < taken.size(); ++at) ASSERT_EQ(taken[at], 1) << at;
  }
}

/// The 32-byte sectors that a warp's accesses to elements of this size touch at once, of 32 at
/// most.
std::size_t sectors_of_first_access(const RowMemory& memory, std::int64_t element_bytes) {
  const RowTile tile = row_tile_for(memory, memory.x, 32);
  std::vector<std::int64_t> sectors;
  for (int thread = 0; thread < 32; ++thread) {
    const ThreadShare share = share_of_thread(memory, tile, 0, thread);
    if (share.empty()) continue;
    const std::int64_t place =
        place_of_row(memory, memory.x, share.row) + place_in_row(memory, memory.x, share.first);
    sectors.push_back(place * element_bytes / 32);
  }
  std::sort(sectors.begin(), sectors.end());
  sectors.erase(std::unique(sectors.begin(), sectors.end()), sectors.end());
  return sectors.size();
}

TEST(RowTile, NeighboursMeetNeighbouringMemory) {
  const std::int64_t pixels = 16128 * 1200;
  EXPECT_EQ(sectors_of_first_access(memory_of(1, 32, pixels, 4, {0, 4, 128}), 2), 2U)
      << "channels-last";
  EXPECT_EQ(sectors_of_first_access(memory_of(112, 262144, 64, 1, {64 * 262144, 1, 262144}), 4), 4U)
      << "columns";
  EXPECT_EQ(sectors_of_first_access(memory_of(1, 16, 1, 4194304, {0, 4194304, 0}), 4), 4U);
  EXPECT_EQ(sectors_of_first_access(memory_of(1, 524288, 1, 16, {0, 16, 0}), 4), 4U)
      << "short rows";
  EXPECT_LE(sectors_of_first_access(memory_of(2, 32, 4096, 40, {4096 * 1280, 40, 1280}), 4), 5U)
      << "wide groups";
}

INSTANTIATE_TEST_SUITE_P(
    Layouts, RowTiles,
    ::testing::Values(Layout{"OneElement", memory_of(1, 1, 1, 1, {})},
                      Layout{"LongRow", memory_of(1, 2, 1, 100003, {0, 100003, 0})},
                      Layout{"ShortRows", memory_of(1, 1001, 1, 5, {0, 5, 0})},
                      Layout{"RowsOf300", memory_of(1, 77, 1, 300, {0, 300, 0})},
                      Layout{"PaddedRows", memory_of(3, 7, 1, 65, {500, 70, 0})},
                      Layout{"PaddedChannels", memory_of(1, 6, 8, 50, {0, 424, 53})},
                      Layout{"ChannelsLast", memory_of(2, 8, 999, 4, {999 * 32, 4, 32})},
                      Layout{"OddGroups", memory_of(2, 5, 400, 3, {6000, 3, 15})},
                      Layout{"OneGroup", memory_of(1, 3, 70, 6, {0, 600, 8})},
                      Layout{"WideGroups", memory_of(1, 3, 401, 40, {0, 40, 120})},
                      Layout{"Channels", memory_of(2, 70, 333, 1, {333 * 70, 1, 70})},
                      Layout{"FewChannels", memory_of(3, 3, 5000, 1, {15000, 1, 3})},
                      Layout{"Columns", memory_of(3, 130, 64, 1, {64 * 130, 1, 130})},
                      Layout{"LongColumns", memory_of(1, 33, 20000, 1, {0, 1, 33})},
                      Layout{"ManyElements", memory_of(1, 64, 1000, 40, {0, 40000, 40})}),
    [](const ::testing::TestParamInfo<Layout>& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace fastnorm::measure
