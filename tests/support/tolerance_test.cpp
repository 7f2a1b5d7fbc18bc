// SPDX-License-Identifier: Apache-2.0
// The tolerances, and the comparison against what it must refuse.
#include "support/tolerance.hpp"

#include "support/guarded_tensor.hpp"
#include "support/random.hpp"
#include "support/shapes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace fastnorm::test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(Tolerance, GrowsWithReferenceGammaAndTheMeanInDeviations) {
  EXPECT_DOUBLE_EQ(value_tolerance(DType::f32, 0.5, 1, 0, 1), 2e-5);
  EXPECT_DOUBLE_EQ(value_tolerance(DType::f32, -8, 1, 0, 1), 16e-5);
  EXPECT_DOUBLE_EQ(value_tolerance(DType::f32, 0, -3, 0, 1), 6e-5);
  EXPECT_DOUBLE_EQ(value_tolerance(DType::f32, 0, 1, -(1 << 24), 0.5), 2e-5 + 1);
}

TEST(Tolerance, FollowsTheTypeOfY) {
  EXPECT_DOUBLE_EQ(value_tolerance(DType::f16, -8, 3, 1000, 1), 16e-3);
  EXPECT_DOUBLE_EQ(value_tolerance(DType::bf16, 0, 3, 1000, 1), 4.8e-2);
  EXPECT_DOUBLE_EQ(value_tolerance(DType::f64, 0.5, 1, 0x1p53, 1), 1e-11 + 2);
}

/// The tolerance of each element of a row of four, whose last is at 3 / sqrt(5) deviations.
Values tolerance_of(const NormDesc& desc, const NormInputs& inputs) {
  return y_tolerance(desc, reference(desc, inputs));
}

TEST(Tolerance, AnActivationStretchesIt) {
  NormDesc desc = layer_norm_desc({1, 4});
  const NormInputs inputs = {{0, 1, 2, 3}};
  const Values plain = tolerance_of(desc, inputs);
  desc.epilogue.activation = Activation::hardswish;
  const Values stretched = tolerance_of(desc, inputs);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_DOUBLE_EQ(stretched[i], 1.5 * plain[i]);
}

TEST(Tolerance, ModulationIsPartOfGamma) {
  NormDesc desc = layer_norm_desc({1, 4});
  desc.epilogue.modulation = Modulation::scale_shift;
  NormInputs inputs = {{0, 1, 2, 3}};
  inputs.gamma = Values(4, 2);
  inputs.scale = Values(4, 9);
  inputs.shift = Values(4, 0);
  EXPECT_NEAR(tolerance_of(desc, inputs)[1], 2e-5 * 20, 1e-5);
}

// 1.0004882 is halfway between 1 and its neighbour in f16: a kernel in f32 may go either way.
TEST(Tolerance, ARoundingOnTheWayMayGoEitherWayAtABoundary) {
  NormDesc desc = with_types(rms_norm_desc({1, 2}, 1, 0), {DType::f16, DType::f32, DType::f16});
  desc.epilogue.normalised = NormalisedRounding::affine_type;
  NormReference near_boundary;
  near_boundary.y = near_boundary.before_activation = {1, 1};
  near_boundary.normalised = {1 + 0x1p-11, 1 + 0x1p-12};
  near_boundary.factor = {1, 1};
  near_boundary.mean = {0};
  near_boundary.rstd = {1};
  const Values tolerance = y_tolerance(desc, near_boundary);
  EXPECT_NEAR(tolerance[0], 2e-5 + 0x1p-10, 1e-9);
  EXPECT_NEAR(tolerance[1], 2e-5, 1e-9);
}

TEST(Comparison, NaNNeverPasses) {
  EXPECT_FALSE(all_within("y", Values{nan}, {0}, {1}));
  EXPECT_FALSE(all_within("y", Values{nan}, {nan}, {1}));
  EXPECT_FALSE(all_within("y", Values{0}, {nan}, {1}));
  EXPECT_FALSE(all_within("y", Values{0}, {0}, {nan}));
}

TEST(Comparison, NamesTheFirstAndTheWorst) {
  const ::testing::AssertionResult result =
      all_within("y", Values{0, 2, 0, 5}, {0, 0, 0, 0}, {1, 1, 1, 1});
  ASSERT_FALSE(result);
  const std::string message = result.message();
  EXPECT_NE(message.find("2 of 4 elements"), std::string::npos) << message;
  EXPECT_NE(message.find("first: y[1] is 2"), std::string::npos) << message;
  EXPECT_NE(message.find("worst: y[3] is 5"), std::string::npos) << message;
}

TEST(Comparison, OtherLengthFails) { EXPECT_FALSE(all_within("y", Values{}, {0}, {1})); }

TEST(GuardedBuffer, SeesAWriteOnEitherSide) {
  GuardedBuffer<float> buffer(host_memory(), 3, 1);
  EXPECT_TRUE(buffer.canaries_intact());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 16, sizeof(float));
  EXPECT_TRUE(std::isnan(buffer.read()[2]));

  buffer.data()[3] = 0;
  EXPECT_FALSE(buffer.canaries_intact());

  GuardedBuffer<float> other(host_memory(), 3);
  other.data()[-1] = 0;
  EXPECT_FALSE(other.canaries_intact());
}

TEST(GuardedTensor, IsPoisonedAndLiesOffItsBoundaryInEveryType) {
  for (const DType type : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
    GuardedTensor tensor(host_memory(), type, 5, 3);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor.data()) % 256, 3 * size_of(type));
    for (const double value : tensor.read()) EXPECT_TRUE(std::isnan(value));
    tensor.write({1, 2, 3, 4, 0.1});
    EXPECT_EQ(tensor.read()[4], rounded(type, 0.1));
    EXPECT_TRUE(tensor.canaries_intact());
    static_cast<std::uint8_t*>(tensor.data())[5 * size_of(type)] = 0;
    EXPECT_FALSE(tensor.canaries_intact());
  }
}

// The sweeps rely on it to meet each choice often.
TEST(DrawnTrials, MeetEveryTypeFormAndAlignmentOften) {
  Draw draw(1);
  int offsets[9] = {};
  int types[4] = {};
  int activations[10] = {};
  int in_place = 0;
  int sums_over_inputs = 0;
  for (int i = 0; i < 1000; ++i) {
    const TrialSetup setup = draw_trial(draw_form(layer_norm_desc({2, 3}), draw), draw);
    ++offsets[setup.offsets.x];
    ++types[static_cast<int>(setup.desc.x_type)];
    ++activations[static_cast<int>(setup.desc.epilogue.activation)];
    in_place += setup.output == Output::separate ? 0 : 1;
    sums_over_inputs += setup.sum == SumOutput::in_x || setup.sum == SumOutput::in_residual ? 1 : 0;
    const bool y_in_x = setup.output == Output::in_place;
    EXPECT_FALSE(y_in_x && setup.sum == SumOutput::in_x);
    EXPECT_FALSE(!y_in_x && setup.output == Output::in_residual &&
                 setup.sum == SumOutput::in_residual);
    EXPECT_EQ(setup.inputs.residual.has_value(), setup.desc.residual != Residual::none);
  }
  EXPECT_GE(*std::min_element(std::begin(offsets), std::end(offsets)), 30);
  EXPECT_GE(*std::min_element(std::begin(types), std::end(types)), 100);
  EXPECT_GE(*std::min_element(std::begin(activations), std::end(activations)), 60);
  EXPECT_GE(in_place, 300);
  EXPECT_GE(sums_over_inputs, 200);
}

}  // namespace
}  // namespace fastnorm::test
