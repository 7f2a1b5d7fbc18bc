// SPDX-License-Identifier: Apache-2.0
// Where the canonical problem says that x and y have their elements.
#include "core/problem.hpp"
#include "make_problem.hpp"
#include "support/shapes.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace fastnorm {
namespace {

using test::channels_last;
using test::group_norm_desc;
using test::instance_norm_desc;
using test::layer_norm_desc;
using test::make_problem;
using test::rms_norm_desc;

NormDesc with_strides(NormDesc desc, const Strides& x, const Strides& y) {
  desc.x_strides = x;
  desc.y_strides = y;
  return desc;
}

NormDesc with_strides(const NormDesc& desc, const Strides& both) {
  return with_strides(desc, both, both);
}

/// What a test expects of a form whose x and y have the same strides.
struct Form {
  std::int64_t outers, rows_per_outer, runs, run_len;
  RowStrides strides;
  AffineMap affine;
};

void expect_form(const NormDesc& desc, const Form& form) {
  const Problem problem = make_problem(desc);
  SCOPED_TRACE(problem.to_string());
  const RowMemory& memory = problem.memory();
  EXPECT_EQ(memory.outers, form.outers);
  EXPECT_EQ(memory.rows_per_outer, form.rows_per_outer);
  EXPECT_EQ(memory.runs, form.runs);
  EXPECT_EQ(memory.run_len, form.run_len);
  for (const RowStrides& strides : {memory.x, memory.y}) {
    EXPECT_EQ(strides.outer, form.strides.outer);
    EXPECT_EQ(strides.row, form.strides.row);
    EXPECT_EQ(strides.run, form.strides.run);
  }
  EXPECT_EQ(problem.affine().row_period, form.affine.row_period);
  EXPECT_EQ(problem.affine().channels_per_row, form.affine.channels_per_row);
  EXPECT_EQ(problem.affine().inner, form.affine.inner);
}

void expect_dense(const NormDesc& desc) {
  const Problem problem = make_problem(desc);
  EXPECT_TRUE(problem.dense_rows()) << problem.to_string();
  EXPECT_EQ(problem.layout(), Layout::channels_first) << problem.to_string();
}

/// Not dense, and what the database knows it as.
void expect_strided(const NormDesc& desc, Layout layout) {
  const Problem problem = make_problem(desc);
  EXPECT_FALSE(problem.dense_rows()) << problem.to_string();
  EXPECT_EQ(problem.layout(), layout) << problem.to_string();
}

void expect_refusal(const NormDesc& desc, const std::string& message) {
  const Result<Problem> problem = Problem::create(desc);
  ASSERT_FALSE(problem.ok()) << test::to_text(desc);
  EXPECT_EQ(problem.status().code(), StatusCode::unsupported);
  EXPECT_EQ(problem.status().message(), message);
}

TEST(ProblemMemory, DenseRowsAreOneLevel) {
  expect_form(group_norm_desc({2, 12, 5, 7}, 3), {1, 6, 1, 140, {0, 140, 0}, {3, 4, 35}});
  expect_form(layer_norm_desc({3, 5, 7, 2}, 2), {1, 15, 1, 14, {0, 14, 0}, {1, 14, 1}});
  expect_form(layer_norm_desc({7}), {1, 1, 1, 7, {0, 0, 0}, {1, 7, 1}});
  for (const NormDesc& desc : test::all_sweep_shapes()) expect_dense(desc);
}

TEST(ProblemMemory, DenseStridesSpeltOut) {
  expect_dense(with_strides(group_norm_desc({2, 6, 3, 5}, 2), {90, 15, 5, 1}));
  expect_dense(with_strides(group_norm_desc({1, 6, 1, 5}, 2), {-3, 5, 99, 1}));
  expect_dense(with_strides(layer_norm_desc({4, 6}), {6, 1}));
  expect_dense(with_strides(layer_norm_desc({1, 6}), {77, 1}, {}));
}

TEST(ProblemMemory, ImagesWithChannelsLast) {
  // N, H, W, C: a group's channels side by side at each position.
  const NormDesc image = channels_last(group_norm_desc({2, 12, 5, 7}, 3));
  expect_form(image, {2, 3, 35, 4, {420, 4, 12}, {3, 4, 1}});
  expect_strided(image, Layout::channels_last);
  expect_form(with_strides(group_norm_desc({2, 12, 5, 7}, 3), {420, 1, 84, 12}),
              {2, 3, 35, 4, {420, 4, 12}, {3, 4, 1}});
  // N, D, H, W, C.
  expect_form(channels_last(group_norm_desc({2, 6, 3, 5, 7}, 2)),
              {2, 2, 105, 3, {630, 3, 6}, {2, 3, 1}});
}

TEST(ProblemMemory, OneGroupWithChannelsLastIsContiguous) {
  const NormDesc desc = channels_last(group_norm_desc({2, 12, 5, 7}, 1));
  expect_form(desc, {1, 2, 1, 420, {0, 420, 0}, {1, 12, 1}});
  expect_strided(desc, Layout::channels_last);  // Its channels come again at each position.
}

TEST(ProblemMemory, OneChannelAGroupWithChannelsLastIsAColumn) {
  for (const NormDesc& desc :
       {group_norm_desc({2, 12, 5, 7}, 12), instance_norm_desc({2, 12, 5, 7})}) {
    expect_form(channels_last(desc), {2, 12, 35, 1, {420, 1, 12}, {12, 1, 35}});
    expect_strided(channels_last(desc), Layout::channels_last);
  }
}

TEST(ProblemMemory, LayoutsThatAreTheSame) {
  for (const NormDesc& desc :
       {group_norm_desc({3, 1, 4, 5}, 1), instance_norm_desc({3, 1, 4}),
        group_norm_desc({3, 8, 1, 1}, 2), group_norm_desc({3, 8}, 1), group_norm_desc({3, 8}, 8),
        group_norm_desc({1, 1, 1}, 1), group_norm_desc({0, 8, 4}, 2),
        group_norm_desc({3, 8, 4, 0}, 2), group_norm_desc({3, 8, 0, 4}, 1)}) {
    expect_dense(desc);
    expect_dense(channels_last(desc));
  }
}

TEST(ProblemMemory, PaddedRows) {
  // Slices of a larger matrix, in x alone and in both.
  expect_form(with_strides(layer_norm_desc({4, 6}), {10, 1}), {1, 4, 1, 6, {0, 10, 0}, {1, 6, 1}});
  expect_strided(with_strides(layer_norm_desc({4, 6}), {10, 1}), Layout::channels_first);
  expect_strided(with_strides(rms_norm_desc({4, 6}), {10, 1}, {}), Layout::channels_first);
  expect_strided(with_strides(rms_norm_desc({4, 6}), {}, {10, 1}), Layout::channels_first);
  // Two distances, as of heads in a token.
  expect_form(with_strides(rms_norm_desc({5, 3, 8}), {100, 8, 1}),
              {5, 3, 1, 8, {100, 8, 0}, {1, 8, 1}});
}

TEST(ProblemMemory, PaddedSamplesChannelsAndLines) {
  // A stride of samples.
  expect_form(with_strides(group_norm_desc({2, 6, 5}, 2), {40, 5, 1}),
              {2, 2, 1, 15, {40, 15, 0}, {2, 3, 5}});
  // A padded pitch of channels.
  expect_form(with_strides(group_norm_desc({2, 6, 5}, 2), {48, 8, 1}),
              {1, 4, 3, 5, {0, 24, 8}, {2, 3, 5}});
  // A padded pitch of an image's lines.
  expect_form(with_strides(group_norm_desc({2, 6, 3, 5}, 2), {144, 24, 8, 1}),
              {1, 4, 9, 5, {0, 72, 8}, {2, 3, 15}});
  // A padded pitch of positions, of all channels and of one.
  expect_form(with_strides(group_norm_desc({2, 6, 5}, 2), {40, 1, 8}),
              {2, 2, 5, 3, {40, 3, 8}, {2, 3, 1}});
  expect_form(with_strides(group_norm_desc({2, 1, 5}, 1), {40, 1, 8}),
              {1, 2, 5, 1, {0, 40, 8}, {1, 1, 5}});
}

TEST(ProblemMemory, ColumnsOfAnImage) {
  // layer_norm over the channels of N, C, H, W.
  const NormDesc desc = with_strides(layer_norm_desc({2, 5, 7, 12}), {420, 7, 1, 35});
  expect_form(desc, {2, 35, 12, 1, {420, 1, 35}, {1, 12, 1}});
  expect_strided(desc, Layout::channels_last);
  EXPECT_EQ(make_problem(desc).rows_per_sample(), 35);
}

TEST(ProblemMemory, TensorsOfTwoLayouts) {
  // Of one channel a group, there is a form that x and y share.
  const Problem problem = make_problem(with_strides(instance_norm_desc({2, 6, 5}), {30, 1, 6}, {}));
  EXPECT_EQ(problem.memory().runs, 5);
  EXPECT_EQ(problem.memory().x, (RowStrides{30, 1, 6}));
  EXPECT_EQ(problem.memory().y, (RowStrides{30, 5, 1}));
  EXPECT_EQ(problem.x_span(), 60);
  EXPECT_EQ(problem.y_span(), 60);
}

TEST(ProblemMemory, SpansIncludeGapsAndBytesDoNot) {
  const Problem problem = make_problem(with_strides(layer_norm_desc({4, 6}), {10, 1}, {}));
  EXPECT_EQ(problem.x_span(), 36);
  EXPECT_EQ(problem.y_span(), 24);
  EXPECT_EQ(problem.x_bytes(), 24 * 4);
  EXPECT_EQ(problem.moved_bytes(), 2 * 24 * 4);
  EXPECT_EQ(make_problem(with_strides(layer_norm_desc({0, 6}), {10, 1})).x_span(), 0);
}

TEST(ProblemMemory, RefusalsNameTheTensorAndItsStrides) {
  const std::string of_group =
      "the elements of a group must be runs of stride 1 that lie equally far apart, whether in the "
      "order C, spatial or spatial, C";
  const NormDesc image = group_norm_desc({2, 6, 3, 5}, 2);
  expect_refusal(with_strides(image, {400, 64, 20, 2}, {}),
                 "x_strides=400x64x20x2 for extents=2x6x3x5: " + of_group);
  expect_refusal(with_strides(image, {}, {400, 60, 10, 1}),
                 "y_strides=400x60x10x1 for extents=2x6x3x5: " + of_group);
  expect_refusal(
      with_strides(image, {90, 1, 30, 6}, {}),
      "x_strides=90x1x30x6 with y_strides=(dense channels_first) for extents=2x6x3x5: " + of_group);
  expect_refusal(
      with_strides(channels_last(image), {}, {90, 15, 5, 1}),
      "x_strides=(dense channels_last) with y_strides=90x15x5x1 for extents=2x6x3x5: " + of_group);
  expect_refusal(with_strides(layer_norm_desc({2, 3, 4}, 2), {40, 10, 2}, {}),
                 "x_strides=40x10x2 for extents=2x3x4: the elements of a row must be runs of "
                 "stride 1 that lie equally far apart");
  expect_refusal(with_strides(rms_norm_desc({2, 2, 2, 4}), {}, {100, 40, 10, 1}),
                 "y_strides=100x40x10x1 for extents=2x2x2x4: the extents that are not normalised "
                 "must join to two at most (an extent joins the one before where that one's stride "
                 "is its own times itself)");
}

}  // namespace
}  // namespace fastnorm
