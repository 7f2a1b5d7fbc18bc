// SPDX-License-Identifier: Apache-2.0
// The free functions as a program calls them.
#include "support/guarded_buffer.hpp"
#include "support/shapes.hpp"
#include "support/target.hpp"
#include "support/tolerance.hpp"
#include "support/trial.hpp"

#include <gtest/gtest.h>

namespace fastnorm::test {
namespace {

class FreeFunctions : public TargetTest {
 protected:
  FreeFunctions() { options_.plan = target_options(); }
  NormOptions options_;
};

TEST_F(FreeFunctions, GroupNorm) {
  GuardedBuffer<float> x(target_memory(), 4);
  GuardedBuffer<float> y(target_memory(), 4);
  x.write({1, 2, 3, 4});
  const Status status = group_norm({1, 4}, 1, x.data(), y.data(), nullptr, nullptr, options_);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_TRUE(all_within("y", y.read(), {-1.341635, -0.447212, 0.447212, 1.341635},
                         std::vector<double>(4, 2e-5)));
}

TEST_F(FreeFunctions, GroupNormWithEverything) {
  options_.eps = 0.5;
  Trial trial(random_trial(group_norm_desc({2, 6, 35}, 3, options_.eps)), target_memory());
  const NormArgs args = trial.args();
  options_.mean = static_cast<float*>(args.mean);
  options_.rstd = static_cast<float*>(args.rstd);
  const Status status = group_norm(
      {2, 6, 35}, 3, static_cast<const float*>(args.x), static_cast<float*>(args.y),
      static_cast<const float*>(args.gamma), static_cast<const float*>(args.beta), options_);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_TRUE(trial.check());
}

TEST_F(FreeFunctions, InstanceNormOnAStream) {
  TargetStream stream;
  options_.stream = stream.get();
  Trial trial(random_trial(instance_norm_desc({2, 6, 5, 7})), target_memory());
  const NormArgs args = trial.args();
  options_.mean = static_cast<float*>(args.mean);
  options_.rstd = static_cast<float*>(args.rstd);
  const Status status = instance_norm(
      {2, 6, 5, 7}, static_cast<const float*>(args.x), static_cast<float*>(args.y),
      static_cast<const float*>(args.gamma), static_cast<const float*>(args.beta), options_);
  ASSERT_TRUE(status.ok()) << status.message();
  stream.synchronize();
  EXPECT_TRUE(trial.check());
}

TEST_F(FreeFunctions, LayerNorm) {
  Trial trial(random_trial(layer_norm_desc({3, 4, 5, 7}, 2)), target_memory());
  const NormArgs args = trial.args();
  options_.mean = static_cast<float*>(args.mean);
  options_.rstd = static_cast<float*>(args.rstd);
  const Status status = layer_norm(
      {3, 4, 5, 7}, 2, static_cast<const float*>(args.x), static_cast<float*>(args.y),
      static_cast<const float*>(args.gamma), static_cast<const float*>(args.beta), options_);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_TRUE(trial.check());
}

TEST_F(FreeFunctions, LayerNormOfOneRow) {
  GuardedBuffer<float> x(target_memory(), 4);
  GuardedBuffer<float> y(target_memory(), 4);
  x.write({1, 2, 3, 4});
  const Status status = layer_norm({4}, 1, x.data(), y.data(), nullptr, nullptr, options_);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_TRUE(all_within("y", y.read(), {-1.341635, -0.447212, 0.447212, 1.341635},
                         std::vector<double>(4, 2e-5)));
}

// Half x with fp32 gamma, a residual, an activation and modulation: where it is offered, right, and
// elsewhere refused by name.
TEST_F(FreeFunctions, RmsNormWithEverything) {
  NormDesc desc = with_types(rms_norm_desc({3, 5, 64}), {DType::bf16, DType::f32, DType::f32});
  desc.eps = options_.eps = 1e-3;
  desc.residual = options_.residual_sum = Residual::exact_sum;
  desc.epilogue.activation = options_.epilogue.activation = Activation::silu;
  desc.epilogue.gamma = options_.epilogue.gamma = GammaForm::centred_zero;
  desc.epilogue.modulation = Modulation::scale_shift;
  TrialSetup setup = random_trial(desc);
  setup.inputs.beta.reset();
  setup.sum = SumOutput::separate;
  setup.statistics = SavedStatistics::rstd;
  Trial trial(setup, target_memory());
  const NormArgs args = trial.args();
  options_.rstd = static_cast<float*>(args.rstd);
  options_.residual = as_bf16(args.residual);
  options_.sum = as_bf16(args.sum);
  options_.scale = static_cast<const float*>(args.scale);
  options_.shift = static_cast<const float*>(args.shift);
  const Status status = rms_norm({3, 5, 64}, 1, as_bf16(args.x), static_cast<float*>(args.y),
                                 static_cast<const float*>(args.gamma), options_);
  if (status.code() == StatusCode::unsupported) {
    EXPECT_NE(status.message().find("x_type=bf16"), std::string::npos) << status.message();
    EXPECT_TRUE(trial.untouched());
    GTEST_SKIP() << status.message();
  }
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_TRUE(trial.check());
}

TEST_F(FreeFunctions, GroupNormInDouble) {
  const NormDesc desc = with_type(group_norm_desc({2, 6, 35}, 3), DType::f64);
  Trial trial(random_trial(desc), target_memory());
  const NormArgs args = trial.args();
  options_.mean = static_cast<double*>(args.mean);
  options_.rstd = static_cast<double*>(args.rstd);
  const Status status = group_norm(
      {2, 6, 35}, 3, static_cast<const double*>(args.x), static_cast<double*>(args.y),
      static_cast<const double*>(args.gamma), static_cast<const double*>(args.beta), options_);
  if (status.code() == StatusCode::unsupported) GTEST_SKIP() << status.message();
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_TRUE(trial.check());
}

// Whatever is offered, types that do not go together are the caller's mistake.
TEST_F(FreeFunctions, TypesThatDoNotGoTogether) {
  std::vector<double> memory(64);
  void* const any = memory.data();
  const auto refused = [&](const std::string& words, ConstData gamma, ConstData beta) {
    const Status status = layer_norm({2, 4}, 1, as_f16(any), as_f16(any), gamma, beta, options_);
    EXPECT_EQ(status.code(), StatusCode::invalid_argument) << status.message();
    EXPECT_NE(status.message().find(words), std::string::npos) << status.message();
  };
  const ConstData f16 = as_f16(any);
  const ConstData f32 = static_cast<float*>(any);
  const NormOptions plain = options_;
  refused("gamma is f16 and beta is f32", f16, f32);
  options_.shift = as_bf16(any);
  refused("beta is f16 and shift is bf16", nullptr, f16);
  options_ = plain;
  options_.scale = f16;
  refused("gamma is f32 and scale is f16", f32, nullptr);
  options_ = plain;
  options_.residual = f32;
  refused("residual is f32; it must be f16, x's type", f16, f16);
  options_ = plain;
  options_.sum = as_bf16(any);
  refused("sum is bf16; it must be f16", f16, f16);
  options_ = plain;
  options_.mean = as_f16(any);
  refused("mean is f16; it must be f32", f16, f16);
  options_ = plain;
  options_.rstd = static_cast<double*>(any);
  refused("rstd is f64; it must be f32", f16, f16);
}

TEST_F(FreeFunctions, ASumNeedsAResidual) {
  GuardedBuffer<float> x(target_memory(), 8);
  GuardedBuffer<float> y(target_memory(), 8);
  GuardedBuffer<float> sum(target_memory(), 8);
  options_.sum = sum.data();
  const Status status = layer_norm({2, 4}, 1, x.data(), y.data(), nullptr, nullptr, options_);
  EXPECT_EQ(status.code(), StatusCode::invalid_argument);
  EXPECT_NE(status.message().find("must be null without a residual"), std::string::npos)
      << status.message();
}

TEST_F(FreeFunctions, PointersDecideWhereToRun) {
  Trial trial(random_trial(group_norm_desc({2, 6, 35}, 3)), target_memory());
  PlanOptions options;
  options.tuning = Tuning::heuristic;
  EXPECT_TRUE(run_normalize(trial, options));
}

/// The right answer, or that no strategy walks such memory: each says so, by the tensors' strides.
::testing::AssertionResult is_right_or_refused(Trial& trial, const NormOptions& options,
                                               const std::string& strides) {
  trial.reset();
  const NormDesc& desc = trial.setup().desc;
  const NormArgs args = trial.args();
  const auto* const x = static_cast<const float*>(args.x);
  auto* const y = static_cast<float*>(args.y);
  NormOptions in_layout = options;
  in_layout.layout = desc.layout;
  in_layout.x_strides = desc.x_strides;
  in_layout.y_strides = desc.y_strides;
  const Status status = desc.op == Op::group_norm
                            ? group_norm(desc.extents, desc.groups, x, y, {}, {}, in_layout)
                            : layer_norm(desc.extents, 1, x, y, {}, {}, in_layout);
  if (status.ok()) return trial.check();
  if (status.code() != StatusCode::unsupported ||
      status.message().find("here " + strides) == std::string::npos) {
    return ::testing::AssertionFailure() << to_string(status.code()) << ": " << status.message();
  }
  return trial.untouched();
}

TEST_F(FreeFunctions, LayoutAndStridesReachTheStrategies) {
  const auto check = [&](const NormDesc& desc, const std::string& strides) {
    TrialSetup setup = random_trial(desc);
    setup.inputs.gamma.reset();
    setup.inputs.beta.reset();
    setup.statistics = SavedStatistics::none;
    Trial trial(setup, target_memory());
    EXPECT_TRUE(is_right_or_refused(trial, options_, strides)) << strides;
  };
  NormDesc image = group_norm_desc({2, 6, 35}, 3);
  image.layout = Layout::channels_last;
  check(image, "x_strides=(dense channels_last), y_strides=(dense channels_last)");
  NormDesc slice = layer_norm_desc({10, 35});
  slice.x_strides = {40, 1};
  check(slice, "x_strides=40x1, y_strides=(dense channels_first)");
  slice.x_strides = {};
  slice.y_strides = {40, 1};
  check(slice, "x_strides=(dense channels_first), y_strides=40x1");
}

TEST_F(FreeFunctions, StridesOfDenseTensorsChangeNothing) {
  Trial trial(random_trial(group_norm_desc({2, 6, 35}, 3)), target_memory());
  const NormArgs args = trial.args();
  options_.mean = static_cast<float*>(args.mean);
  options_.rstd = static_cast<float*>(args.rstd);
  options_.x_strides = options_.y_strides = {210, 35, 1};
  options_.layout = Layout::channels_last;  // Of tensors without strides.
  const Status status = group_norm(
      {2, 6, 35}, 3, static_cast<const float*>(args.x), static_cast<float*>(args.y),
      static_cast<const float*>(args.gamma), static_cast<const float*>(args.beta), options_);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_TRUE(trial.check());
}

}  // namespace
}  // namespace fastnorm::test
