// SPDX-License-Identifier: Apache-2.0
#include "core/case_text.hpp"

#include "core/make_problem.hpp"

#include <gtest/gtest.h>

#include <string>

namespace fastnorm {
namespace {

using test::make_problem;

std::string text_of(const NormDesc& desc) {
  const auto text = case_text(make_problem(desc), "");
  return text ? text->yaml : "none";
}

NormDesc images() {
  NormDesc desc;
  desc.op = Op::group_norm;
  desc.extents = {2, 320, 64, 48};
  desc.groups = 32;
  return desc;
}

TEST(CaseText, StatesWhatIsNotTheDefault) {
  EXPECT_EQ(text_of(images()),
            "{name: group_norm_2x320x64x48_g32_f32_nchw, op: group_norm, n: 2, c: 320, spatial: "
            "[64, 48], groups: 32, dtype: f32, layout: nchw}");
  NormDesc desc = images();
  desc.x_type = DType::f16;
  desc.y_type = desc.affine_type = DType::f32;
  desc.layout = Layout::channels_last;
  desc.eps = 1e-6;
  desc.residual = Residual::rounded_sum;
  desc.epilogue.activation = Activation::gelu_tanh;
  EXPECT_EQ(text_of(desc),
            "{name: group_norm_2x320x64x48_g32_f16_to_f32_affine_f32_nhwc_gelu_tanh_residual, op: "
            "group_norm, n: 2, c: 320, spatial: [64, 48], groups: 32, dtype: f16, y_dtype: f32, "
            "affine_dtype: f32, layout: nhwc, eps: 1e-06, activation: gelu_tanh, fused: residual}");
}

TEST(CaseText, RowsAndColumns) {
  NormDesc rows;
  rows.op = Op::layer_norm;
  rows.extents = {4, 128, 1024};
  EXPECT_EQ(text_of(rows),
            "{name: layer_norm_512x1024_f32_rows, op: layer_norm, n: 512, c: 1024, spatial: [], "
            "groups: 1, dtype: f32, layout: rows}");
  NormDesc columns;
  columns.op = Op::rms_norm;
  columns.extents = {2, 35, 96};  // an image of 35 positions, channels first
  columns.x_strides = columns.y_strides = {96 * 35, 1, 35};
  EXPECT_EQ(text_of(columns),
            "{name: rms_norm_channels_2x96x35_f32_nchw, op: rms_norm_channels, n: 2, c: 96, "
            "spatial: [35], groups: 1, dtype: f32, layout: nchw}");
}

TEST(CaseText, StridesAreThoseOfTheDenseTensorWithTheSameEntry) {
  NormDesc padded = images();
  padded.x_strides = padded.y_strides = {320 * 64 * 64, 64 * 64, 64, 1};
  EXPECT_EQ(text_of(padded), text_of(images()));
}

TEST(CaseText, TheNoteIsAField) {
  const auto text = case_text(make_problem(images()), "cuda served it by nearest");
  ASSERT_TRUE(text);
  EXPECT_NE(text->yaml.find(", note: cuda served it by nearest}"), std::string::npos) << text->yaml;
  EXPECT_EQ(text->name, "group_norm_2x320x64x48_g32_f32_nchw");
}

TEST(CaseText, NoElementsAreNoCase) {
  NormDesc desc = images();
  desc.extents = {0, 320, 64, 48};
  EXPECT_EQ(text_of(desc), "none");
}

// One channel, samples side by side: a dense tensor of one channel has another layout's entry.
TEST(CaseText, WhatNoDenseTensorsEntryServesIsNoCase) {
  NormDesc desc;
  desc.op = Op::group_norm;
  desc.extents = {5, 1, 7};
  desc.groups = 1;
  desc.x_strides = desc.y_strides = {1, 35, 5};
  EXPECT_EQ(make_problem(desc).layout(), Layout::channels_last);
  EXPECT_EQ(text_of(desc), "none");
}

}  // namespace
}  // namespace fastnorm
