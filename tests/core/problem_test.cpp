#include "core/problem.hpp"

#include "support/shapes.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

namespace fastnorm {
namespace {

using test::group_norm_desc;
using test::instance_norm_desc;

Problem make(const NormDesc& desc) {
  Result<Problem> problem = Problem::create(desc);
  EXPECT_TRUE(problem.ok()) << problem.status().message();
  return problem.value();
}

void expect_refusal(const NormDesc& desc, StatusCode code, const std::string& words) {
  const Result<Problem> problem = Problem::create(desc);
  ASSERT_FALSE(problem.ok()) << test::to_text(desc);
  EXPECT_EQ(problem.status().code(), code) << problem.status().message();
  EXPECT_NE(problem.status().message().find(words), std::string::npos)
      << "\"" << problem.status().message() << "\" lacks \"" << words << "\"";
}

TEST(Problem, GroupNormRowsAreGroupsOfSamples) {
  const Problem problem = make(group_norm_desc({2, 12, 5, 7}, 3));
  EXPECT_EQ(problem.rows(), 6);
  EXPECT_EQ(problem.row_len(), 4 * 35);
  EXPECT_EQ(problem.elements(), 2 * 12 * 35);
  EXPECT_EQ(problem.affine().row_period, 3);
  EXPECT_EQ(problem.affine().channels_per_row, 4);
  EXPECT_EQ(problem.affine().inner, 35);
  EXPECT_EQ(problem.groups(), 3);
  EXPECT_FALSE(problem.empty());
}

TEST(Problem, InstanceNormIsGroupNormWithOneChannelAGroup) {
  const Problem instance = make(instance_norm_desc({2, 12, 5}));
  const Problem group = make(group_norm_desc({2, 12, 5}, 12));
  EXPECT_EQ(instance.rows(), group.rows());
  EXPECT_EQ(instance.row_len(), group.row_len());
  EXPECT_EQ(instance.groups(), group.groups());

  NormDesc spelt_out = instance_norm_desc({2, 12, 5});
  spelt_out.groups = 12;
  EXPECT_TRUE(Problem::create(spelt_out).ok());
  spelt_out.groups = 4;
  expect_refusal(spelt_out, StatusCode::invalid_argument, "groups=4");
}

// The map is checked against the definition, element by element.
TEST(Problem, AffineMapNamesTheChannelOfEachElement) {
  for (const NormDesc& desc : test::small_sweep_shapes()) {
    SCOPED_TRACE(test::to_text(desc));
    const Problem problem = make(desc);
    const AffineMap& map = problem.affine();
    const test::LogicalShape shape = test::logical_shape(desc);
    for (std::int64_t offset = 0; offset < problem.elements(); ++offset) {
      const std::int64_t row = offset / problem.row_len();
      const std::int64_t i = offset % problem.row_len();
      const std::int64_t channel = row % map.row_period * map.channels_per_row + i / map.inner;
      const auto c =
          static_cast<std::int64_t>(static_cast<std::size_t>(offset) / shape.spatial % shape.c);
      ASSERT_EQ(channel, c) << "at offset " << offset;
    }
  }
}

TEST(Problem, NoSpatialExtents) {
  const Problem problem = make(group_norm_desc({3, 8}, 2));
  EXPECT_EQ(problem.rows(), 6);
  EXPECT_EQ(problem.row_len(), 4);
  EXPECT_EQ(problem.inner(), 1);
}

TEST(Problem, EmptyTensorsAreProblems) {
  EXPECT_TRUE(make(group_norm_desc({0, 8, 5}, 2)).empty());
  EXPECT_TRUE(make(group_norm_desc({3, 8, 0, 4}, 2)).empty());
}

TEST(Problem, ExtentsBeyond32Bits) {
  const Problem problem = make(group_norm_desc({3, 4, std::int64_t{1} << 40}, 2));
  EXPECT_EQ(problem.row_len(), std::int64_t{1} << 41);
  EXPECT_EQ(problem.x_bytes(), std::int64_t{48} << 40);
}

TEST(Problem, RefusesRanks) {
  expect_refusal(group_norm_desc({}, 1), StatusCode::invalid_argument, "rank 0");
  expect_refusal(group_norm_desc({4}, 1), StatusCode::invalid_argument, "rank 1");
  Extents too_many;
  for (int axis = 0; axis < Extents::max_rank + 1; ++axis) too_many.push_back(1);
  expect_refusal(group_norm_desc(too_many, 1), StatusCode::invalid_argument, "rank 17");
}

TEST(Problem, AcceptsTheLargestRank) {
  Extents extents{2, 4};
  while (extents.rank() < Extents::max_rank) extents.push_back(2);
  EXPECT_EQ(make(group_norm_desc(extents, 2)).row_len(), 2 << 14);
}

TEST(Problem, RefusesExtents) {
  expect_refusal(group_norm_desc({-1, 4}, 2), StatusCode::invalid_argument, "N=-1");
  expect_refusal(group_norm_desc({2, 0}, 1), StatusCode::invalid_argument, "C=0");
  expect_refusal(group_norm_desc({2, -4}, 2), StatusCode::invalid_argument, "C=-4");
  expect_refusal(group_norm_desc({2, 4, 3, -5}, 2), StatusCode::invalid_argument, "=-5");
}

TEST(Problem, RefusesMoreBytesThan63Bits) {
  constexpr std::int64_t large = std::int64_t{1} << 31;
  expect_refusal(group_norm_desc({large, 4, large}, 2), StatusCode::invalid_argument, "2^63");
  // 2^61 elements of 4 bytes are one too many, a row less is not.
  expect_refusal(group_norm_desc({1, 1, std::int64_t{1} << 61}, 1), StatusCode::invalid_argument,
                 "2^63");
  EXPECT_TRUE(Problem::create(group_norm_desc({1, 1, (std::int64_t{1} << 61) - 1}, 1)).ok());
  // A zero extent must not hide the overflow of the others.
  expect_refusal(group_norm_desc({0, large, large, large}, 2), StatusCode::invalid_argument,
                 "2^63");
}

TEST(Problem, RefusesGroups) {
  expect_refusal(group_norm_desc({2, 6}, 4), StatusCode::invalid_argument, "groups=4");
  expect_refusal(group_norm_desc({2, 6}, 4), StatusCode::invalid_argument, "C=6");
  expect_refusal(group_norm_desc({2, 6}, 0), StatusCode::invalid_argument, "groups=0");
  expect_refusal(group_norm_desc({2, 6}, -2), StatusCode::invalid_argument, "groups=-2");
  expect_refusal(group_norm_desc({2, 6}, 12), StatusCode::invalid_argument, "groups=12");
  expect_refusal(group_norm_desc({2, 6}, std::numeric_limits<std::int64_t>::min()),
                 StatusCode::invalid_argument, "groups=-9223372036854775808");
}

TEST(Problem, RefusesEps) {
  const auto with_eps = [](double eps) { return group_norm_desc({2, 6}, 2, eps); };
  expect_refusal(with_eps(-1e-9), StatusCode::invalid_argument, "eps=-1e-09");
  expect_refusal(with_eps(std::numeric_limits<double>::quiet_NaN()), StatusCode::invalid_argument,
                 "eps=nan");
  expect_refusal(with_eps(std::numeric_limits<double>::infinity()), StatusCode::invalid_argument,
                 "eps=inf");
  EXPECT_TRUE(Problem::create(with_eps(0)).ok());
}

TEST(Problem, SaysWhatIsNotOffered) {
  NormDesc desc = group_norm_desc({2, 6}, 2);
  desc.x_type = DType::f16;
  expect_refusal(desc, StatusCode::unsupported, "x_type=f16");
  desc = group_norm_desc({2, 6}, 2);
  desc.y_type = DType::bf16;
  expect_refusal(desc, StatusCode::unsupported, "y_type=bf16");
  desc = group_norm_desc({2, 6}, 2);
  desc.affine_type = DType::f64;
  expect_refusal(desc, StatusCode::unsupported, "affine_type=f64");
  desc = group_norm_desc({2, 6}, 2);
  desc.layout = Layout::channels_last;
  expect_refusal(desc, StatusCode::unsupported, "layout=channels_last");
}

TEST(Problem, PrintsItself) {
  EXPECT_EQ(make(group_norm_desc({112, 64, 512, 512}, 8)).to_string(),
            "group_norm 112x64x512x512 groups=8 f32");
}

}  // namespace
}  // namespace fastnorm
