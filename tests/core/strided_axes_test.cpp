// SPDX-License-Identifier: Apache-2.0
#include "core/strided_axes.hpp"

#include "support/shapes.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace fastnorm {
namespace {

using test::group_norm_desc;
using test::layer_norm_desc;

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

/// The strides of x, as they are found.
std::vector<std::int64_t> x_strides_of(const NormDesc& desc) {
  const Result<StridedAxes> axes = strided_axes(desc);
  EXPECT_TRUE(axes.ok()) << axes.status().message();
  std::vector<std::int64_t> strides;
  for (int i = 0; i < axes.value().size(); ++i) strides.push_back(axes.value()[i].x_stride);
  return strides;
}

void expect_refusal(const NormDesc& desc, const std::string& message) {
  const Result<StridedAxes> axes = strided_axes(desc);
  ASSERT_FALSE(axes.ok()) << test::to_text(desc);
  EXPECT_EQ(axes.status().code(), StatusCode::invalid_argument);
  EXPECT_EQ(axes.status().message(), message);
}

NormDesc with_x_strides(NormDesc desc, const Strides& strides) {
  desc.x_strides = strides;
  return desc;
}

TEST(StridedAxes, DenseTensorsFollowTheLayout) {
  NormDesc desc = group_norm_desc({2, 6, 3, 5}, 2);
  EXPECT_EQ(x_strides_of(desc), (std::vector<std::int64_t>{90, 15, 5, 1}));
  desc.layout = Layout::channels_last;
  EXPECT_EQ(x_strides_of(desc), (std::vector<std::int64_t>{90, 1, 30, 6}));
  NormDesc volume = group_norm_desc({2, 6, 3, 5, 7}, 2);
  volume.layout = Layout::channels_last;
  EXPECT_EQ(x_strides_of(volume), (std::vector<std::int64_t>{630, 1, 210, 42, 6}));
  NormDesc no_spatial = group_norm_desc({2, 6}, 2);
  no_spatial.layout = Layout::channels_last;
  EXPECT_EQ(x_strides_of(no_spatial), (std::vector<std::int64_t>{6, 1}));
  EXPECT_EQ(x_strides_of(layer_norm_desc({7})), (std::vector<std::int64_t>{1}));
}

TEST(StridedAxes, EachTensorHasItsOwn) {
  NormDesc desc = group_norm_desc({2, 6, 3}, 2);
  desc.layout = Layout::channels_last;
  desc.x_strides = {100, 10, 2};
  const StridedAxes axes = strided_axes(desc).value();
  ASSERT_EQ(axes.size(), 3);
  EXPECT_EQ(axes[1].extent, 6);
  EXPECT_EQ(axes[1].x_stride, 10);
  EXPECT_EQ(axes[1].y_stride, 1) << "dense in the layout";
  EXPECT_EQ(axes[2].x_stride, 2);
  EXPECT_EQ(axes[2].y_stride, 6);
}

TEST(StridedAxes, WithoutElementsAnyStridesAreThoseOfDenseTensors) {
  // As PyTorch gives them to an empty tensor, and as anybody might.
  for (const Strides& strides : {Strides{}, Strides{32, 4, 1, 1}, Strides{1000, 100, 7, -3}}) {
    NormDesc desc = with_x_strides(group_norm_desc({3, 8, 4, 0}, 2), strides);
    EXPECT_EQ(x_strides_of(desc), (std::vector<std::int64_t>{0, 0, 0, 1}));
    desc.layout = Layout::channels_last;
    EXPECT_EQ(x_strides_of(desc), (std::vector<std::int64_t>{0, 0, 0, 1}));
  }
}

TEST(StridedAxes, OneStrideForEachExtent) {
  const NormDesc desc = layer_norm_desc({2, 3, 4});
  const std::string why =
      " for extents=2x3x4: there must be one for each of the 3 extents, or none";
  expect_refusal(with_x_strides(desc, {4, 1}), "x_strides=4x1" + why);
  expect_refusal(with_x_strides(desc, {24, 12, 4, 1}), "x_strides=24x12x4x1" + why);
  Strides too_many;
  for (int axis = 0; axis < Strides::max_rank + 3; ++axis) too_many.push_back(1);
  expect_refusal(with_x_strides(desc, too_many),
                 "x_strides=1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1 and 3 more" + why);
  NormDesc of_y = desc;
  of_y.y_strides = {4, 1};
  expect_refusal(of_y, "y_strides=4x1" + why);
}

TEST(StridedAxes, StridesAreAtLeastOneWhereTheyAreUsed) {
  const NormDesc desc = layer_norm_desc({2, 1, 4});
  expect_refusal(with_x_strides(desc, {4, 4, 0}),
                 "x_strides=4x4x0 for extents=2x1x4: the stride of extent 2 is 0, must be at least "
                 "1");
  expect_refusal(with_x_strides(desc, {-4, 4, 1}),
                 "x_strides=-4x4x1 for extents=2x1x4: the stride of extent 0 is -4, must be at "
                 "least 1");
  for (const std::int64_t unused : {std::int64_t{0}, std::int64_t{-7}, largest}) {
    EXPECT_TRUE(strided_axes(with_x_strides(desc, {4, unused, 1})).ok());
  }
}

TEST(StridedAxes, NoTwoElementsShareAPlace) {
  const NormDesc desc = layer_norm_desc({2, 3, 4});
  EXPECT_TRUE(strided_axes(with_x_strides(desc, {12, 4, 1})).ok());
  EXPECT_TRUE(strided_axes(with_x_strides(desc, {1, 2, 6})).ok()) << "in another order";
  EXPECT_TRUE(strided_axes(with_x_strides(desc, {100, 30, 7})).ok()) << "with gaps";
  expect_refusal(with_x_strides(desc, {12, 3, 1}),
                 "x_strides=12x3x1 for extents=2x3x4: elements share a place: the stride of extent "
                 "1 is 3, but the smaller ones reach over 4");
  expect_refusal(with_x_strides(desc, {11, 4, 1}),
                 "x_strides=11x4x1 for extents=2x3x4: elements share a place: the stride of extent "
                 "0 is 11, but the smaller ones reach over 12");
  EXPECT_FALSE(strided_axes(with_x_strides(desc, {4, 4, 1})).ok()) << "two alike";
}

TEST(StridedAxes, SpansHaveFewerThan63Bits) {
  NormDesc desc = layer_norm_desc({2, 4});
  desc.x_type = desc.y_type = DType::f64;
  const std::int64_t elements = largest / 8;
  EXPECT_TRUE(strided_axes(with_x_strides(desc, {elements - 4, 1})).ok());
  for (const std::int64_t stride : {elements - 3, elements, largest}) {
    expect_refusal(with_x_strides(desc, {stride, 1}),
                   "x_strides=" + std::to_string(stride) +
                       "x1 for extents=2x4: the span in bytes exceeds 2^63 - 1");
  }
  EXPECT_FALSE(strided_axes(with_x_strides(desc, {largest, largest / 4})).ok());
  desc.extents = {3, 1};
  EXPECT_FALSE(strided_axes(with_x_strides(desc, {elements / 2 + 1, 1})).ok());
}

TEST(StridedAxes, JoinedAxesHaveTheSameElements) {
  StridedAxes axes;
  axes.push_back({1, 77, -5});
  axes.push_back({2, 60, 60});
  axes.push_back({1, 0, 3});
  axes.push_back({3, 20, 20});
  axes.push_back({5, 4, 4});
  axes.push_back({4, 1, 1});
  axes.push_back({1, 99, 0});
  const StridedAxes joined = axes.joined();
  ASSERT_EQ(joined.size(), 1);
  EXPECT_EQ(joined[0].extent, 120);
  EXPECT_EQ(joined[0].x_stride, 1);
  EXPECT_EQ(joined[0].y_stride, 1);
}

TEST(StridedAxes, BothTensorsMustJoin) {
  StridedAxes axes;
  axes.push_back({2, 15, 18});
  axes.push_back({3, 5, 6});
  axes.push_back({5, 1, 1});
  const StridedAxes joined = axes.joined();
  ASSERT_EQ(joined.size(), 2);
  EXPECT_EQ(joined[0].extent, 6);
  EXPECT_EQ(joined[0].x_stride, 5);
  EXPECT_EQ(joined[0].y_stride, 6);
  EXPECT_EQ(joined[1].extent, 5);
  StridedAxes ones;
  ones.push_back({1, 3, 4});
  EXPECT_EQ(ones.joined().size(), 0);
}

TEST(StridedAxes, AreShownWithTheirTensor) {
  NormDesc desc = group_norm_desc({2, 6, 3}, 2);
  desc.y_strides = {20, 3, 1};
  EXPECT_EQ(shown_x_strides(desc), "x_strides=(dense channels_first)");
  EXPECT_EQ(shown_y_strides(desc), "y_strides=20x3x1");
  EXPECT_EQ(shown(desc.extents), "2x6x3");
}

}  // namespace
}  // namespace fastnorm
