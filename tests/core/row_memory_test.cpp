// SPDX-License-Identifier: Apache-2.0
#include "core/row_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <vector>

namespace fastnorm {
namespace {

StridedAxes axes_of(std::initializer_list<StridedAxis> list) {
  StridedAxes axes;
  for (const StridedAxis& axis : list) axes.push_back(axis);
  return axes;
}

TEST(RowMemory, OneElement) {
  const RowMemory memory = row_memory({}, {}).value();
  EXPECT_EQ(memory.outers * memory.rows_per_outer * memory.runs * memory.run_len, 1);
  EXPECT_EQ(memory.x, RowStrides{});
  EXPECT_EQ(memory.span(memory.x), 1);
  EXPECT_TRUE(memory.share_a_place(memory.x, 0));
  EXPECT_FALSE(memory.share_a_place(memory.x, 1));
}

TEST(RowMemory, IsInTheFewestPieces) {
  const RowMemory memory =
      row_memory(axes_of({{2, 60, 60}, {3, 20, 20}}), axes_of({{4, 5, 5}, {5, 1, 1}})).value();
  EXPECT_EQ(memory.outers, 1);
  EXPECT_EQ(memory.rows_per_outer, 6);
  EXPECT_EQ(memory.runs, 1);
  EXPECT_EQ(memory.run_len, 20);
  EXPECT_EQ(memory.x, (RowStrides{0, 20, 0}));
  EXPECT_EQ(memory.y, memory.x);
}

TEST(RowMemory, TwoLevelsOfRowsAndOfElements) {
  const RowMemory memory =
      row_memory(axes_of({{2, 100, 90}, {3, 30, 28}}), axes_of({{4, 7, 6}, {5, 1, 1}})).value();
  EXPECT_EQ(memory.outers, 2);
  EXPECT_EQ(memory.rows_per_outer, 3);
  EXPECT_EQ(memory.runs, 4);
  EXPECT_EQ(memory.run_len, 5);
  EXPECT_EQ(memory.x, (RowStrides{100, 30, 7}));
  EXPECT_EQ(memory.y, (RowStrides{90, 28, 6}));
  EXPECT_EQ(memory.span(memory.x), 100 + 2 * 30 + 3 * 7 + 5);
}

TEST(RowMemory, ElementsApartAreRunsOfOne) {
  for (const StridedAxis& apart : {StridedAxis{6, 2, 2}, {6, 1, 2}, {6, 2, 1}}) {
    const RowMemory memory = row_memory({}, axes_of({apart})).value();
    EXPECT_EQ(memory.runs, 6);
    EXPECT_EQ(memory.run_len, 1);
    EXPECT_EQ(memory.x.run, apart.x_stride);
    EXPECT_EQ(memory.y.run, apart.y_stride);
  }
}

TEST(RowMemory, RefusesMoreLevels) {
  const StridedAxes three = axes_of({{2, 100, 100}, {2, 40, 40}, {2, 10, 10}});
  const auto refusal = [](const StridedAxes& rows, const StridedAxes& elements) {
    const Result<RowMemory> memory = row_memory(rows, elements);
    EXPECT_EQ(memory.status().code(), StatusCode::unsupported);
    return memory.status().message();
  };
  EXPECT_NE(refusal(three, {}).find("must join to two at most"), std::string::npos);
  const std::string runs = "must be runs of stride 1 that lie equally far apart";
  EXPECT_NE(refusal({}, axes_of({{2, 20, 20}, {3, 5, 5}, {2, 1, 1}})).find(runs),
            std::string::npos);
  EXPECT_NE(refusal({}, axes_of({{3, 10, 10}, {2, 2, 2}})).find(runs), std::string::npos);
  EXPECT_NE(refusal({}, axes_of({{3, 10, 10}, {2, 1, 2}})).find(runs), std::string::npos);
}

/// Every place of a tensor, by the formula.
std::vector<std::int64_t> places_of(const RowMemory& memory, const RowStrides& strides) {
  std::vector<std::int64_t> places;
  for (std::int64_t r = 0; r < memory.outers * memory.rows_per_outer; ++r) {
    for (std::int64_t i = 0; i < memory.runs * memory.run_len; ++i) {
      places.push_back(r / memory.rows_per_outer * strides.outer +
                       r % memory.rows_per_outer * strides.row + i / memory.run_len * strides.run +
                       i % memory.run_len);
    }
  }
  std::sort(places.begin(), places.end());
  return places;
}

/// Distances of rows and runs in any order of size, each beyond what the smaller ones reach.
RowMemory draw(std::mt19937& random, RowStrides& strides) {
  const auto count = [&] { return static_cast<std::int64_t>(1 + random() % 4); };
  RowMemory memory;
  memory.outers = count();
  memory.rows_per_outer = count();
  memory.runs = count();
  memory.run_len = count();
  struct Level {
    std::int64_t count;
    std::int64_t* stride;
  };
  Level levels[] = {{memory.outers, &strides.outer},
                    {memory.rows_per_outer, &strides.row},
                    {memory.runs, &strides.run}};
  std::shuffle(std::begin(levels), std::end(levels), random);
  std::int64_t reach = memory.run_len;
  for (const Level& level : levels) {
    *level.stride = level.count > 1 ? reach + static_cast<std::int64_t>(random() % 3) : 0;
    reach += (level.count - 1) * *level.stride;
  }
  return memory;
}

TEST(RowMemory, SpansAndPlacesInCommon) {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    RowStrides strides;
    const RowMemory memory = draw(random, strides);
    const std::vector<std::int64_t> places = places_of(memory, strides);
    const std::int64_t span = memory.span(strides);
    ASSERT_EQ(span, places.back() + 1);
    for (std::int64_t distance = -span - 2; distance <= span + 2; ++distance) {
      const bool shared = std::any_of(places.begin(), places.end(), [&](std::int64_t place) {
        return std::binary_search(places.begin(), places.end(), place + distance);
      });
      ASSERT_EQ(memory.share_a_place(strides, distance), shared)
          << "round " << round << ", distance " << distance;
    }
  }
}

}  // namespace
}  // namespace fastnorm
