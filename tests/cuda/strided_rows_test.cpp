// SPDX-License-Identifier: Apache-2.0
// What becomes of rows with strides, on devices that need not be there.
#include "backends/cuda/device/row_params.hpp"
#include "backends/cuda/row_config.hpp"
#include "backends/cuda/row_space.hpp"
#include "backends/cuda/strategies.hpp"
#include "backends/cuda/strided_space.hpp"
#include "core/backend.hpp"
#include "core/problem.hpp"
#include "some_device.hpp"
#include "support/shapes.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace fastnorm::cuda {
namespace {

using test::channels_last;
using test::group_norm_desc;
using test::layer_norm_desc;
using test::rms_norm_desc;
using test::with_type;

Problem problem_of(NormDesc desc, const Strides& x, const Strides& y) {
  desc.x_strides = x;
  desc.y_strides = y;
  return Problem::create(desc).value();
}

const DeviceInfo& device() {
  static const DeviceInfo one = device_of(9, 132);
  return one;
}

/// Of a configuration, whatever the strategy.
std::string field(const Config& config, const std::string& name) {
  for (const auto& [key, value] : config.fields()) {
    if (key == name) return value;
  }
  return "";
}

/// The load width of the strategy's default.
std::string width(const KernelVariant& variant, const Problem& problem) {
  const Support support = variant.supports(problem, device());
  EXPECT_TRUE(support.ok) << variant.name() << ": " << support.reason;
  return field(variant.default_config(problem, device()), "vec_width");
}

TEST(StridedRows, AreFoundWhereverTheyLie) {
  // Two levels; y's steps are smaller from one outer to the next than from row to row.
  for (const Problem& problem :
       {problem_of(rms_norm_desc({7, 4, 128}), {1024, 128, 1}, {}),
        problem_of(rms_norm_desc({7, 4, 128}), {200, 2000, 1}, {128, 1000, 1}),
        problem_of(layer_norm_desc({33, 64}), {4096, 1}, {65, 1}),
        problem_of(layer_norm_desc({1, 64}), {}, {})}) {
    SCOPED_TRACE(problem.to_string());
    const RowGeometry geometry = row_params(problem, CacheUse{}).geometry;
    const RowMemory& memory = problem.memory();
    const auto begin = [&](const RowStrides& strides, std::int64_t row) {
      return row / memory.rows_per_outer * strides.outer +
             row % memory.rows_per_outer * strides.row;
    };
    for (std::int64_t row = 0; row < problem.rows(); ++row) {
      const std::int64_t x_begin = geometry.x_begin(row);
      EXPECT_EQ(x_begin, begin(memory.x, row)) << row;
      EXPECT_EQ(geometry.y_begin(row, x_begin), begin(memory.y, row)) << row;
      EXPECT_EQ(geometry.place(row).x, begin(memory.x, row)) << row;
      EXPECT_EQ(geometry.place(row).y, begin(memory.y, row)) << row;
    }
  }
}

TEST(StridedRows, EveryRowStrategyTakesASliceOfWiderRows) {
  const Problem problem = problem_of(layer_norm_desc({33, 1024}), {4096, 1}, {1028, 1});
  for (const KernelVariant* variant :
       {&warp_row_variant(), &resident_row_variant(), &cluster_row_variant(), &stream_row_variant(),
        &window_row_variant(), &split_two_kernel_variant(), &split_atomic_variant(),
        &block_row_variant()}) {
    const Support support = variant->supports(problem, device());
    EXPECT_TRUE(support.ok) << variant->name() << ": " << support.reason;
  }
  EXPECT_FALSE(strided_row_variant().supports(problem, device()).ok);
  EXPECT_EQ(width(block_row_variant(), problem), "4");
  EXPECT_EQ(width(resident_row_variant(), problem), "4");
}

// One cut must serve x and y in every row.
TEST(StridedRows, AreReadInVectorsWhereXAndYMoveAlike) {
  const NormDesc rows = layer_norm_desc({33, 2048});
  EXPECT_EQ(width(block_row_variant(), problem_of(rows, {2049, 1}, {2053, 1})), "4");
  const Problem apart = problem_of(rows, {2049, 1}, {});
  EXPECT_EQ(width(block_row_variant(), apart), "1");
  const Support streamed = stream_row_variant().supports(apart, device());
  EXPECT_FALSE(streamed.ok);
  EXPECT_NE(streamed.reason.find("2049x1"), std::string::npos) << streamed.reason;
  // The outer level, too.
  const NormDesc heads = rms_norm_desc({7, 4, 128});
  EXPECT_EQ(width(warp_row_variant(), problem_of(heads, {516, 128, 1}, {})), "4");
  EXPECT_EQ(width(warp_row_variant(), problem_of(heads, {513, 128, 1}, {})), "1");
}

// Of the wider elements, a vector of x becomes two accesses.
TEST(StridedRows, CountTheBoundariesOfTheWiderElements) {
  NormDesc rows = layer_norm_desc({33, 2048});
  rows.x_type = rows.affine_type = DType::f16;
  EXPECT_EQ(width(block_row_variant(), problem_of(rows, {2052, 1}, {})), "8");
  EXPECT_EQ(width(block_row_variant(), problem_of(rows, {2050, 1}, {})), "1");
  rows.y_type = DType::f16;
  EXPECT_EQ(width(block_row_variant(), problem_of(rows, {2052, 1}, {})), "1");
}

// Rows of whole vectors still have edges where the stride is none of whole vectors.
TEST(StridedRows, HaveLanesForEdgesWhereTheStrideMakesThem) {
  const NormDesc rows = layer_norm_desc({33, 32});
  const auto lanes = [&](const Strides& both) {
    const Problem problem = problem_of(rows, both, both);
    WarpRowConfig config;
    config.threads = 128;
    config.lanes = 4;
    config.unroll = 4;
    return warp_row_variant().supports(problem, device(), Config::of(config)).ok;
  };
  EXPECT_TRUE(lanes({36, 1}));
  EXPECT_FALSE(lanes({37, 1}));
}

TEST(StridedRows, InRunsAreOneStrategys) {
  const std::vector<Problem> problems = {
      problem_of(group_norm_desc({2, 4, 60, 100}, 2), {24960, 6240, 104, 1}, {}),
      problem_of(rms_norm_desc({48, 300}), {1, 48}, {300, 1}),
      Problem::create(channels_last(group_norm_desc({2, 32, 10, 10}, 8))).value(),
      Problem::create(channels_last(group_norm_desc({2, 32, 10, 10}, 1))).value()};
  for (const Problem& problem : problems) {
    SCOPED_TRACE(problem.to_string());
    EXPECT_TRUE(strided_row_variant().supports(problem, device()).ok);
    const Support support = block_row_variant().supports(problem, device());
    EXPECT_FALSE(support.ok);
    EXPECT_NE(support.reason.find("x_strides="), std::string::npos) << support.reason;
  }
}

TEST(StridedRows, InRunsAreFoundWithTheirChannels) {
  for (const Problem& problem :
       {problem_of(group_norm_desc({2, 4, 6, 10}, 2), {320, 78, 13, 1}, {}),
        problem_of(rms_norm_desc({5, 4, 30}), {4, 1, 20}, {120, 30, 1}),
        problem_of(group_norm_desc({2, 12, 5, 7}, 3), {640, 1, 112, 16}, {420, 1, 84, 12}),
        Problem::create(channels_last(group_norm_desc({2, 12, 5, 7}, 1))).value()}) {
    SCOPED_TRACE(problem.to_string());
    const RowGeometry geometry = row_params(problem, CacheUse{}).geometry;
    const StridedGeometry strided = strided_geometry(problem);
    const RowMemory& memory = problem.memory();
    const AffineMap& affine = problem.affine();
    const auto place = [&](const RowStrides& strides, std::int64_t row, std::int64_t i) {
      return row / memory.rows_per_outer * strides.outer +
             row % memory.rows_per_outer * strides.row + i / memory.run_len * strides.run +
             i % memory.run_len;
    };
    for (std::int64_t row = 0; row < problem.rows(); ++row) {
      for (const std::int64_t page : {0, 1, 17}) {
        const StridedPlaces places(strided, place_of(geometry, strided, row), page);
        const StridedChannels channels(strided, page);
        for (std::int64_t i = page; i < problem.row_len(); ++i) {
          const int of_page = static_cast<int>(i - page);
          ASSERT_EQ(places.in_x(of_page), place(memory.x, row, i)) << row << " " << i;
          ASSERT_EQ(places.in_y(of_page), place(memory.y, row, i)) << row << " " << i;
          ASSERT_EQ(channels(of_page), i / affine.inner % affine.channels_per_row) << i;
        }
      }
    }
  }
}

// Runs and channels longer than a page, and pages anywhere in them.
TEST(StridedRows, InRunsAreDividedFarBeyond31Bits) {
  for (const std::int64_t divisor :
       {std::int64_t{1}, std::int64_t{7}, page_len - 1, page_len, page_len + 5, 9 * page_len + 1}) {
    const PageDivisor by(divisor);
    for (const std::int64_t begin : {std::int64_t{0}, page_len, 17 * page_len, 40 * page_len - 3}) {
      const PageQuotient quotient(by, begin);
      for (const std::int64_t i : {std::int64_t{0}, std::int64_t{1}, page_len / 3, page_len - 1}) {
        const PageQuotient::Answer answer = quotient(static_cast<std::uint32_t>(i));
        EXPECT_EQ(quotient.of_begin() + answer.quotient, (begin + i) / divisor) << divisor;
        EXPECT_EQ(answer.remainder, (begin + i) % divisor) << divisor;
      }
    }
  }
}

TEST(StridedRows, InRunsAreReadInVectorsWhereAllIsWhole) {
  const KernelVariant& strided = strided_row_variant();
  const NormDesc images = group_norm_desc({2, 4, 60, 100}, 2);
  const Strides padded{4 * 60 * 104, 60 * 104, 104, 1};
  EXPECT_EQ(width(strided, problem_of(images, padded, {})), "4");
  EXPECT_EQ(width(strided, problem_of(images, padded, padded)), "4");
  EXPECT_EQ(width(strided, problem_of(images, {4 * 60 * 101, 60 * 101, 101, 1}, {})), "1");
  EXPECT_EQ(width(strided, problem_of(images, {}, {4 * 60 * 101, 60 * 101, 101, 1})), "1");
  EXPECT_EQ(width(strided, problem_of(images, {4 * 60 * 104 + 1, 60 * 104, 104, 1}, {})), "1");
  // Runs of 100 elements are not of whole vectors of eight.
  EXPECT_EQ(width(strided, problem_of(with_type(images, DType::f16), padded, {})), "1");
  // Channels by turns: of a group they must be whole vectors.
  for (const int groups : {1, 2, 8, 16}) {
    const Problem last =
        Problem::create(channels_last(group_norm_desc({2, 32, 10, 10}, groups))).value();
    EXPECT_EQ(width(strided, last), groups < 16 ? "4" : "1") << groups;
  }
  EXPECT_EQ(width(strided, problem_of(rms_norm_desc({48, 300}), {1, 48}, {})), "1");
}

}  // namespace
}  // namespace fastnorm::cuda
