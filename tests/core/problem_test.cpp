// SPDX-License-Identifier: Apache-2.0
#include "core/problem.hpp"

#include "core/enum_values.hpp"
#include "make_problem.hpp"
#include "support/shapes.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <string>

namespace fastnorm {
namespace {

using test::group_norm_desc;
using test::instance_norm_desc;
using test::layer_norm_desc;
using test::make_problem;
using test::rms_norm_desc;

void expect_refusal(const NormDesc& desc, StatusCode code, const std::string& words) {
  const Result<Problem> problem = Problem::create(desc);
  ASSERT_FALSE(problem.ok()) << test::to_text(desc);
  EXPECT_EQ(problem.status().code(), code) << problem.status().message();
  EXPECT_NE(problem.status().message().find(words), std::string::npos)
      << "\"" << problem.status().message() << "\" lacks \"" << words << "\"";
}

TEST(Problem, GroupNormRowsAreGroupsOfSamples) {
  const Problem problem = make_problem(group_norm_desc({2, 12, 5, 7}, 3));
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
  const Problem instance = make_problem(instance_norm_desc({2, 12, 5}));
  const Problem group = make_problem(group_norm_desc({2, 12, 5}, 12));
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
    const Problem problem = make_problem(desc);
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
  const Problem problem = make_problem(group_norm_desc({3, 8}, 2));
  EXPECT_EQ(problem.rows(), 6);
  EXPECT_EQ(problem.row_len(), 4);
  EXPECT_EQ(problem.inner(), 1);
}

TEST(Problem, EmptyTensorsAreProblems) {
  EXPECT_TRUE(make_problem(group_norm_desc({0, 8, 5}, 2)).empty());
  EXPECT_TRUE(make_problem(group_norm_desc({3, 8, 0, 4}, 2)).empty());
}

TEST(Problem, ExtentsBeyond32Bits) {
  const Problem problem = make_problem(group_norm_desc({3, 4, std::int64_t{1} << 40}, 2));
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
  EXPECT_EQ(make_problem(group_norm_desc(extents, 2)).row_len(), 2 << 14);
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

TEST(Problem, LayerNormRowsAreTheLastExtents) {
  const Problem problem = make_problem(layer_norm_desc({3, 5, 7, 2}, 2));
  EXPECT_EQ(problem.rows(), 15);
  EXPECT_EQ(problem.row_len(), 14);
  EXPECT_EQ(problem.statistics(), Statistics::mean_variance);
  EXPECT_EQ(problem.rows_per_sample(), 5);
  EXPECT_EQ(problem.samples(), 3);
  EXPECT_EQ(problem.channels(), 14);
  EXPECT_EQ(problem.groups(), 1);
  EXPECT_EQ(problem.n(), 15);
  EXPECT_EQ(problem.inner(), 1);
}

TEST(Problem, RmsNormIsLayerNormWithoutTheMean) {
  const Problem layer = make_problem(layer_norm_desc({3, 5, 7}, 1));
  const Problem rms = make_problem(rms_norm_desc({3, 5, 7}, 1));
  EXPECT_EQ(rms.statistics(), Statistics::mean_square);
  EXPECT_EQ(rms.rows(), layer.rows());
  EXPECT_EQ(rms.row_len(), layer.row_len());
  EXPECT_EQ(rms.rows_per_sample(), layer.rows_per_sample());
}

TEST(Problem, OneRowIsOneSample) {
  for (const NormDesc& desc : {layer_norm_desc({7}, 1), rms_norm_desc({7, 3, 2}, 3)}) {
    const Problem problem = make_problem(desc);
    EXPECT_EQ(problem.rows(), 1) << problem.to_string();
    EXPECT_EQ(problem.samples(), 1);
    EXPECT_EQ(problem.rows_per_sample(), 1);
  }
}

/// Extents of every rank to 5, with ones and zeros among them.
template <class Visit>
void for_extents(const Visit& visit) {
  std::mt19937 random(11);
  const std::int64_t values[] = {1, 1, 2, 3, 4, 6, 0};
  for (int round = 0; round < 2000; ++round) {
    Extents extents;
    for (auto rank = 1 + random() % 5; rank > 0; --rank) extents.push_back(values[random() % 7]);
    visit(extents);
  }
}

// Against the definition, element by element: which elements share a row, a sample and a channel.
TEST(Problem, RowsOfTheLastExtentsForAnyExtents) {
  for_extents([](const Extents& extents) {
    for (int normalized = 1; normalized <= extents.rank(); ++normalized) {
      const int leading = extents.rank() - normalized;
      bool no_channels = false;
      for (int axis = leading; axis < extents.rank(); ++axis) no_channels |= extents[axis] == 0;
      const NormDesc desc = layer_norm_desc(extents, normalized);
      SCOPED_TRACE(test::to_text(desc));
      if (no_channels) {
        expect_refusal(desc, StatusCode::invalid_argument, "must be at least 1");
        continue;
      }
      const Problem problem = make_problem(desc);
      std::int64_t elements = 1;
      for (int axis = 0; axis < extents.rank(); ++axis) elements *= extents[axis];
      ASSERT_EQ(problem.elements(), elements);
      ASSERT_GE(problem.rows_per_sample(), 1);
      ASSERT_EQ(problem.channels(), problem.row_len());
      if (problem.empty()) continue;
      ASSERT_EQ(problem.samples(), leading > 0 ? extents[0] : 1);
      for (std::int64_t offset = 0; offset < elements; ++offset) {
        std::int64_t rest = offset;
        std::int64_t channel = 0;
        std::int64_t stride = 1;
        std::int64_t first_index = 0;
        for (int axis = extents.rank() - 1; axis >= 0; --axis) {
          const std::int64_t index = rest % extents[axis];
          rest /= extents[axis];
          if (axis >= leading) channel += index * stride;
          stride *= extents[axis];
          if (axis == 0) first_index = index;
        }
        const std::int64_t row = offset / problem.row_len();
        const AffineMap& map = problem.affine();
        ASSERT_EQ(
            row % map.row_period * map.channels_per_row + offset % problem.row_len() / map.inner,
            channel);
        ASSERT_EQ(row / problem.rows_per_sample(), leading > 0 ? first_index : 0);
      }
    }
  });
}

TEST(Problem, ChannelsOfSamplesForAnyExtents) {
  for_extents([](const Extents& extents) {
    if (extents.rank() < 2 || extents[1] == 0) return;
    for (std::int64_t groups = 1; groups <= extents[1]; ++groups) {
      if (extents[1] % groups != 0) continue;
      const Problem problem = make_problem(group_norm_desc(extents, groups));
      SCOPED_TRACE(problem.to_string());
      std::int64_t inner = 1;
      for (int axis = 2; axis < extents.rank(); ++axis) inner *= extents[axis];
      ASSERT_EQ(problem.n(), extents[0]);
      ASSERT_EQ(problem.samples(), extents[0]);
      ASSERT_EQ(problem.rows_per_sample(), groups);
      ASSERT_EQ(problem.channels(), extents[1]);
      ASSERT_EQ(problem.groups(), groups);
      ASSERT_EQ(problem.inner(), inner);
      ASSERT_EQ(problem.elements(), extents[0] * extents[1] * inner);
    }
  });
}

TEST(Problem, RefusesRanksOfRows) {
  expect_refusal(layer_norm_desc({}, 1), StatusCode::invalid_argument, "rank 0");
  expect_refusal(layer_norm_desc({4, 4}, 0), StatusCode::invalid_argument, "normalized_rank=0");
  expect_refusal(rms_norm_desc({4, 4}, 3), StatusCode::invalid_argument,
                 "normalized_rank=3 must be from 1 to the rank of the extents, 2");
  expect_refusal(rms_norm_desc({4, 4}, -1), StatusCode::invalid_argument, "normalized_rank=-1");
  Extents too_many;
  for (int axis = 0; axis < Extents::max_rank + 1; ++axis) too_many.push_back(1);
  expect_refusal(layer_norm_desc(too_many, 1), StatusCode::invalid_argument, "rank 17");
}

TEST(Problem, RefusesExtentsOfRows) {
  expect_refusal(layer_norm_desc({3, 0}, 1), StatusCode::invalid_argument, "extent 1=0");
  expect_refusal(layer_norm_desc({-3, 4}, 1), StatusCode::invalid_argument, "extent 0=-3");
  EXPECT_TRUE(make_problem(layer_norm_desc({0, 4}, 1)).empty());
}

TEST(Problem, RefusesGroupsOfRows) {
  for (NormDesc desc : {layer_norm_desc({3, 4}, 1), rms_norm_desc({3, 4}, 1)}) {
    desc.groups = 1;
    EXPECT_TRUE(Problem::create(desc).ok());
    desc.groups = 2;
    expect_refusal(desc, StatusCode::invalid_argument,
                   std::string("groups=2 for ") + to_string(desc.op) + " must be 0 or 1");
  }
}

TEST(Problem, NormalizedRankIsIgnoredWhereRowsAreGroups) {
  NormDesc desc = group_norm_desc({2, 6}, 2);
  desc.normalized_rank = 99;
  EXPECT_EQ(make_problem(desc).row_len(), 3);
}

TEST(Problem, StatisticsAndAffineTensorsCountAmongTheBytes) {
  NormDesc desc = layer_norm_desc({std::int64_t{1} << 61, 1}, 1);
  desc.x_type = desc.y_type = desc.affine_type = DType::f16;
  expect_refusal(desc, StatusCode::invalid_argument, "2^63");  // mean is [2^61] of f32
}

TEST(Problem, RefusesNumbersOfActivations) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr float infinity = std::numeric_limits<float>::infinity();
  NormDesc desc = group_norm_desc({2, 6}, 2);
  Epilogue& epilogue = desc.epilogue;
  epilogue.slope = epilogue.alpha = epilogue.lower = nan;
  EXPECT_TRUE(Problem::create(desc).ok()) << "nobody reads them";
  epilogue.activation = Activation::leaky_relu;
  expect_refusal(desc, StatusCode::invalid_argument, "slope=nan");
  epilogue.slope = infinity;
  expect_refusal(desc, StatusCode::invalid_argument, "slope=inf");
  epilogue.activation = Activation::elu;
  expect_refusal(desc, StatusCode::invalid_argument, "alpha=nan");
  epilogue.activation = Activation::clamp;
  expect_refusal(desc, StatusCode::invalid_argument, "lower=nan");
  epilogue.lower = 2;
  epilogue.upper = 1;
  expect_refusal(desc, StatusCode::invalid_argument, "lower=2 must not exceed upper=1");
  epilogue.upper = nan;
  expect_refusal(desc, StatusCode::invalid_argument, "upper=nan");
  epilogue.upper = infinity;
  EXPECT_TRUE(Problem::create(desc).ok()) << "no upper bound";
  epilogue.upper = 2;
  EXPECT_TRUE(Problem::create(desc).ok()) << "one value is a range";
}

TEST(Problem, OffersTheTypesOfTheDocumentation) {
  for (const DType x : all_dtypes) {
    for (const DType y : all_dtypes) {
      for (const DType affine : all_dtypes) {
        NormDesc desc = group_norm_desc({2, 6}, 2);
        desc.x_type = x;
        desc.y_type = y;
        desc.affine_type = affine;
        const bool mixed =
            (x == DType::f32 && size_of(y) == 2) || (y == DType::f32 && size_of(x) == 2);
        const bool offered = (x == y || mixed) && (affine == x || affine == DType::f32);
        SCOPED_TRACE(test::to_text(desc));
        if (offered) {
          EXPECT_EQ(make_problem(desc).accumulation_type(),
                    x == DType::f64 ? DType::f64 : DType::f32);
        } else {
          expect_refusal(desc, StatusCode::unsupported, std::string("x_type=") + to_string(x));
        }
      }
    }
  }
}

TEST(Problem, RefusalsOfTypesNameBoth) {
  NormDesc desc = group_norm_desc({2, 6}, 2);
  desc.x_type = DType::f16;
  desc.y_type = DType::bf16;
  expect_refusal(desc, StatusCode::unsupported, "x_type=f16 with y_type=bf16");
  desc.y_type = DType::f16;
  desc.affine_type = DType::f64;
  expect_refusal(desc, StatusCode::unsupported, "affine_type=f64 with x_type=f16");
}

TEST(Problem, SaysWhatIsNotOffered) {
  NormDesc desc = group_norm_desc({2, 6}, 2);
  desc.layout = static_cast<Layout>(77);
  expect_refusal(desc, StatusCode::unsupported, "layout=77");
  for (NormDesc rows : {layer_norm_desc({2, 6}), rms_norm_desc({6})}) {
    rows.layout = Layout::channels_last;
    expect_refusal(rows, StatusCode::unsupported, "layout=channels_last is not offered for");
  }
}

TEST(Problem, RefusesValuesThatNoEnumHas) {
  const auto refuse = [](auto spoil, const std::string& words) {
    NormDesc desc = group_norm_desc({2, 6}, 2);
    spoil(desc);
    expect_refusal(desc, StatusCode::unsupported, words);
  };
  refuse([](NormDesc& desc) { desc.op = static_cast<Op>(77); }, "op=77");
  refuse([](NormDesc& desc) { desc.x_type = static_cast<DType>(77); }, "x_type=77");
  refuse([](NormDesc& desc) { desc.residual = static_cast<Residual>(77); }, "residual=77");
  refuse([](NormDesc& desc) { desc.epilogue.activation = static_cast<Activation>(77); },
         "activation=77 is not offered; supported: none, relu");
  refuse([](NormDesc& desc) { desc.epilogue.modulation = static_cast<Modulation>(77); },
         "modulation=77");
}

TEST(Problem, MovesEachTensorOnce) {
  NormDesc desc = group_norm_desc({2, 6, 5}, 2);
  desc.y_type = DType::f16;
  EXPECT_EQ(make_problem(desc).x_bytes(), 240);
  EXPECT_EQ(make_problem(desc).y_bytes(), 120);
  EXPECT_EQ(make_problem(desc).moved_bytes(), 360);
  desc.residual = Residual::exact_sum;
  EXPECT_EQ(make_problem(desc).moved_bytes(), 600);
  desc.epilogue.modulation = Modulation::scale_shift;
  EXPECT_EQ(make_problem(desc).moved_bytes(), 600 + 2 * 2 * 6 * 4);

  NormDesc largest = group_norm_desc({1, 1, (std::int64_t{1} << 61) - 1}, 1);
  largest.residual = Residual::rounded_sum;
  EXPECT_EQ(make_problem(largest).moved_bytes(), std::numeric_limits<std::int64_t>::max());
}

TEST(Problem, PrintsItself) {
  EXPECT_EQ(make_problem(group_norm_desc({112, 64, 512, 512}, 8)).to_string(),
            "group_norm 112x64x512x512 groups=8 f32");
  NormDesc desc = layer_norm_desc({4096, 1024}, 1);
  desc.x_type = desc.y_type = desc.affine_type = DType::bf16;
  EXPECT_EQ(make_problem(desc).to_string(), "layer_norm 4096x1024 bf16");
  desc.affine_type = DType::f32;
  EXPECT_EQ(make_problem(desc).to_string(), "layer_norm 4096x1024 bf16 affine=f32");
  EXPECT_EQ(make_problem(rms_norm_desc({4, 8, 2}, 2)).to_string(),
            "rms_norm 4x8x2 normalized_rank=2 f32");
  desc = group_norm_desc({2, 8, 5}, 4);
  desc.y_type = DType::bf16;
  desc.residual = Residual::rounded_sum;
  desc.epilogue.activation = Activation::silu;
  EXPECT_EQ(make_problem(desc).to_string(), "group_norm 2x8x5 groups=4 f32->bf16 silu residual");
  desc = group_norm_desc({2, 8, 5}, 4);
  desc.layout = Layout::channels_last;
  EXPECT_EQ(make_problem(desc).to_string(), "group_norm 2x8x5 groups=4 f32 channels_last");
  desc.x_strides = {48, 1, 8};
  EXPECT_EQ(make_problem(desc).to_string(),
            "group_norm 2x8x5 groups=4 f32 channels_last x_strides=48x1x8");
  desc = layer_norm_desc({2, 5, 8});
  desc.y_strides = {40, 1, 5};
  EXPECT_EQ(make_problem(desc).to_string(), "layer_norm 2x5x8 f32 y_strides=40x1x5");
}

}  // namespace
}  // namespace fastnorm
