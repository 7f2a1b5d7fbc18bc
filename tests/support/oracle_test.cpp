// SPDX-License-Identifier: Apache-2.0
// The oracle against results worked out by hand.
#include "support/oracle.hpp"

#include "support/random.hpp"
#include "support/shapes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace fastnorm::test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(Oracle, FourConsecutiveNumbers) {
  for (const NormDesc& desc : {group_norm_desc({1, 4}, 1), layer_norm_desc({1, 4})}) {
    const NormReference result = reference(desc, {{40000, 40001, 40002, 40003}});
    const double expected[] = {-1.341635, -0.447212, 0.447212, 1.341635};
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(result.y[i], expected[i], 1e-6);
    EXPECT_EQ(result.mean, Values{40001.5});
    EXPECT_NEAR(result.rstd[0], 1 / std::sqrt(1.25 + 1e-5), 1e-12);
  }
}

TEST(Oracle, GroupsSplitTheChannelsAndSamplesAreSeparate) {
  // Two samples of two groups of one channel; each pair of positions is -1 and +1 around its mean.
  const NormReference result =
      reference(group_norm_desc({2, 2, 2}, 2, 0), {{0, 2, 9, 11, 4, 6, -3, -1}});
  EXPECT_EQ(result.y, (Values{-1, 1, -1, 1, -1, 1, -1, 1}));
  EXPECT_EQ(result.mean, (Values{1, 10, 5, -2}));
}

TEST(Oracle, AffineFollowsTheChannel) {
  const NormReference result =
      reference(group_norm_desc({1, 2, 2}, 1, 0), {{-1, 1, -1, 1}, Values{2, 3}, Values{10, 20}});
  EXPECT_EQ(result.y, (Values{8, 12, 17, 23}));
}

TEST(Oracle, InstanceNormIsGroupNormWithOneChannelAGroup) {
  const NormDesc instance = instance_norm_desc({2, 3, 5});
  const NormInputs inputs = random_inputs(instance, 7);
  EXPECT_EQ(reference(instance, inputs).y, reference(group_norm_desc({2, 3, 5}, 3), inputs).y);
}

TEST(Oracle, LayerNormHasAChannelForEachElementOfARow) {
  const NormInputs inputs = {{-1, 1, 3, 5}, Values{2, 3}, Values{10, 20}};
  EXPECT_EQ(reference(layer_norm_desc({2, 2}, 1, 0), inputs).y, (Values{8, 23, 8, 23}));
}

TEST(Oracle, RowsOfSeveralExtents) {
  const NormInputs inputs = random_inputs(layer_norm_desc({3, 4, 5}, 2), 3);
  EXPECT_EQ(reference(layer_norm_desc({3, 4, 5}, 2), inputs).y,
            reference(layer_norm_desc({3, 20}, 1), inputs).y);
}

TEST(Oracle, RmsNormSubtractsNoMean) {
  const NormReference result = reference(rms_norm_desc({2, 2}, 1, 0), {{1, 7, 3, 4}});
  EXPECT_DOUBLE_EQ(result.y[0], 0.2);
  EXPECT_DOUBLE_EQ(result.y[1], 1.4);
  EXPECT_DOUBLE_EQ(result.rstd[1], 1 / std::sqrt(12.5));
  EXPECT_EQ(result.mean, (Values{0, 0}));
}

TEST(Oracle, InputsAreRoundedToTheirTypes) {
  const NormDesc desc =
      with_types(rms_norm_desc({1, 1}, 1, 0), {DType::bf16, DType::f32, DType::bf16});
  NormInputs inputs = {{5}, Values{1 + 0x1p-8}, Values{1 + 3 * 0x1p-8}};
  EXPECT_EQ(reference(desc, inputs).y, Values{1 + 1.015625});
  const NormDesc wide =
      with_types(rms_norm_desc({1, 1}, 1, 0), {DType::bf16, DType::f32, DType::f32});
  EXPECT_EQ(reference(wide, inputs).y, Values{2 + 4 * 0x1p-8});
}

TEST(Oracle, ResidualIsAddedAndRoundedAsAsked) {
  NormDesc desc = with_type(layer_norm_desc({1, 4}), DType::bf16);
  NormInputs inputs = {{512, 512, 512, 512}};
  inputs.residual = Values{0, 1, 0, 1};  // 513 is no bf16
  desc.residual = Residual::rounded_sum;
  const NormReference from_rounded = reference(desc, inputs);
  EXPECT_EQ(from_rounded.y, (Values{0, 0, 0, 0}));
  EXPECT_EQ(from_rounded.sum, Values(4, 512));
  desc.residual = Residual::exact_sum;
  const NormReference from_exact = reference(desc, inputs);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(from_exact.y[i], i % 2 == 0 ? -1 : 1, 1e-4);
  EXPECT_EQ(from_exact.sum, Values(4, 512));
}

TEST(Oracle, GammaMayBeStoredWithoutItsOne) {
  NormDesc desc = rms_norm_desc({1, 2}, 1, 0);
  desc.epilogue.gamma = GammaForm::centred_zero;
  EXPECT_EQ(reference(desc, {{2, 2}, Values{0, 0.5}}).y, (Values{1, 1.5}));
  EXPECT_EQ(reference(desc, {{2, 2}}).y, (Values{1, 1})) << "an absent gamma is a factor of 1";
}

TEST(Oracle, NormalisedValuesMayBeRoundedBeforeTheAffineMap) {
  NormDesc desc = with_types(rms_norm_desc({1, 2}, 1, 0), {DType::bf16, DType::f32, DType::bf16});
  const NormInputs inputs = {{1, 7}, Values{64, 64}};
  EXPECT_NEAR(reference(desc, inputs).y[1], 1.4 * 64, 1e-9);
  desc.epilogue.normalised = NormalisedRounding::affine_type;
  EXPECT_EQ(reference(desc, inputs).y[1], rounded(DType::bf16, 1.4) * 64);
}

TEST(Oracle, ScaleAndShiftBelongToTheSample) {
  NormDesc desc = group_norm_desc({2, 1, 2}, 1, 0);
  desc.epilogue.modulation = Modulation::scale_shift;
  NormInputs inputs = {{-1, 1, -1, 1}};
  inputs.scale = Values{1, 2};
  inputs.shift = Values{10, 20};
  EXPECT_EQ(reference(desc, inputs).y, (Values{8, 12, 17, 23}));

  // Two samples of two rows of two channels.
  NormDesc rows = layer_norm_desc({2, 2, 2}, 1, 0);
  rows.epilogue.modulation = Modulation::scale_shift;
  inputs.x = {-1, 1, -1, 1, -1, 1, -1, 1};
  inputs.scale = Values{0, 1, 2, 3};
  inputs.shift = Values{0, 10, 20, 30};
  EXPECT_EQ(reference(rows, inputs).y, (Values{-1, 12, -1, 12, 17, 34, 17, 34}));

  // All extents in the row: one sample.
  NormDesc one = layer_norm_desc({2, 2}, 2, 0);
  one.epilogue.modulation = Modulation::scale_shift;
  inputs.x = {-1, 1, -1, 1};
  EXPECT_EQ(reference(one, inputs).y, (Values{-1, 12, 17, 34}));
}

/// rms_norm of one element is its sign; gamma makes it any value.
double activated(Activation activation, double v) {
  NormDesc desc = with_type(rms_norm_desc({1, 1}, 1, 0), DType::f64);
  desc.epilogue.activation = activation;
  desc.epilogue.slope = 0.25F;
  desc.epilogue.alpha = 2;
  desc.epilogue.lower = -0.5F;
  desc.epilogue.upper = 1.5F;
  return reference(desc, {{1}, Values{v}}).y[0];
}

TEST(Oracle, Activations) {
  EXPECT_EQ(activated(Activation::none, -3), -3);
  EXPECT_EQ(activated(Activation::relu, -3), 0);
  EXPECT_EQ(activated(Activation::relu, 3), 3);
  EXPECT_EQ(activated(Activation::leaky_relu, -3), -0.75);
  EXPECT_EQ(activated(Activation::leaky_relu, 3), 3);
  EXPECT_NEAR(activated(Activation::elu, -1), -1.2642411176571153, 1e-15);
  EXPECT_EQ(activated(Activation::elu, 2), 2);
  EXPECT_NEAR(activated(Activation::silu, 1), 0.7310585786300049, 1e-15);
  EXPECT_NEAR(activated(Activation::silu, -2), -0.2384058440442351, 1e-15);
  EXPECT_NEAR(activated(Activation::gelu, 1), 0.8413447460685429, 1e-15);
  EXPECT_NEAR(activated(Activation::gelu, -2), -0.0455002638963584, 1e-15);
  EXPECT_NEAR(activated(Activation::gelu_tanh, 1), 0.8411919906082768, 1e-12);
  EXPECT_NEAR(activated(Activation::gelu_tanh, -2), -0.0454023059, 1e-9);
  EXPECT_NEAR(activated(Activation::tanh, 0.5), 0.46211715726000973, 1e-15);
  EXPECT_EQ(activated(Activation::hardswish, -4), 0);
  EXPECT_NEAR(activated(Activation::hardswish, 1), 4.0 / 6, 1e-15);
  EXPECT_EQ(activated(Activation::hardswish, 5), 5);
  EXPECT_EQ(activated(Activation::clamp, -3), -0.5);
  EXPECT_EQ(activated(Activation::clamp, 0.25), 0.25);
  EXPECT_EQ(activated(Activation::clamp, 3), 1.5);
  for (int activation = 0; activation <= static_cast<int>(Activation::clamp); ++activation) {
    EXPECT_TRUE(std::isnan(activated(static_cast<Activation>(activation), nan))) << activation;
  }
}

}  // namespace
}  // namespace fastnorm::test
