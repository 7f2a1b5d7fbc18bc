// SPDX-License-Identifier: Apache-2.0
// Which problems are matrices of positions by columns, and where these lie.
#include "core/column_matrix.hpp"

#include "make_problem.hpp"
#include "support/shapes.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace fastnorm {
namespace {

using test::channels_last;
using test::group_norm_desc;
using test::instance_norm_desc;
using test::layer_norm_desc;
using test::make_problem;

std::optional<ColumnMatrix> matrix_of(const NormDesc& desc) {
  return column_matrix(make_problem(desc));
}

void expect_matrix(const NormDesc& desc, const ColumnMatrix& expected) {
  const std::optional<ColumnMatrix> matrix = matrix_of(desc);
  ASSERT_TRUE(matrix) << test::to_text(desc);
  EXPECT_EQ(matrix->samples, expected.samples);
  EXPECT_EQ(matrix->positions, expected.positions);
  EXPECT_EQ(matrix->groups, expected.groups);
  EXPECT_EQ(matrix->group_width, expected.group_width);
  EXPECT_EQ(matrix->x_sample, expected.x_sample);
  EXPECT_EQ(matrix->x_position, expected.x_position);
  EXPECT_EQ(matrix->y_sample, expected.y_sample);
  EXPECT_EQ(matrix->y_position, expected.y_position);
  EXPECT_EQ(matrix->affine, expected.affine);
}

TEST(ColumnMatrix, ChannelsLastTensors) {
  constexpr auto column = AffineAxis::column;
  expect_matrix(channels_last(group_norm_desc({2, 12, 5, 7}, 3)),
                {2, 35, 3, 4, 420, 12, 420, 12, column});
  expect_matrix(channels_last(instance_norm_desc({2, 12, 5, 7})),
                {2, 35, 12, 1, 420, 12, 420, 12, column});
  // One group: contiguous rows, whose channels come again at each position.
  expect_matrix(channels_last(group_norm_desc({2, 12, 5, 7}, 1)),
                {2, 35, 1, 12, 420, 12, 420, 12, column});
}

TEST(ColumnMatrix, ChannelsOfChannelsFirstImages) {
  NormDesc desc = layer_norm_desc({2, 5, 7, 12});  // N, H, W, C, in the memory of N, C, H, W.
  desc.x_strides = {420, 7, 1, 35};
  desc.y_strides = desc.x_strides;
  expect_matrix(desc, {2, 12, 35, 1, 420, 35, 420, 35, AffineAxis::position});
}

TEST(ColumnMatrix, RowsThatFollowEachOtherAreNone) {
  EXPECT_FALSE(matrix_of(group_norm_desc({2, 12, 5, 7}, 3)));
  EXPECT_FALSE(matrix_of(layer_norm_desc({4, 6})));
  EXPECT_FALSE(matrix_of(channels_last(group_norm_desc({2, 12, 0}, 3))));
  const Support support = no_column_matrix(make_problem(layer_norm_desc({4, 6})));
  EXPECT_FALSE(support.ok);
  EXPECT_NE(support.reason.find("side by side"), std::string::npos) << support.reason;
}

}  // namespace
}  // namespace fastnorm
