// SPDX-License-Identifier: Apache-2.0
// Each member of the C structs arrives where it belongs.
#include "c_api/from_c.hpp"

#include "c_api/to_c.hpp"

#include <fastnorm/fastnorm.h>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace fastnorm::c_api {
namespace {

/// Addresses that are told apart and led to by nothing.
std::array<char, 10> places;

fastnorm_epilogue some_epilogue() {
  fastnorm_epilogue epilogue = default_epilogue();
  epilogue.activation = FASTNORM_ACTIVATION_HARDSWISH;
  epilogue.slope = 2;
  epilogue.alpha = 3;
  epilogue.lower = 4;
  epilogue.upper = 5;
  epilogue.gamma = FASTNORM_GAMMA_FORM_CENTRED_ZERO;
  epilogue.normalised = FASTNORM_NORMALISED_ROUNDING_AFFINE_TYPE;
  epilogue.modulation = FASTNORM_MODULATION_SCALE_SHIFT;
  return epilogue;
}

void expect_some(const Epilogue& epilogue) {
  EXPECT_EQ(epilogue.activation, Activation::hardswish);
  EXPECT_EQ(epilogue.slope, 2);
  EXPECT_EQ(epilogue.alpha, 3);
  EXPECT_EQ(epilogue.lower, 4);
  EXPECT_EQ(epilogue.upper, 5);
  EXPECT_EQ(epilogue.gamma, GammaForm::centred_zero);
  EXPECT_EQ(epilogue.normalised, NormalisedRounding::affine_type);
}

constexpr std::array<std::int64_t, 3> extents = {2, 3, 4};
constexpr std::array<std::int64_t, 3> x_strides = {20, 5, 1};
constexpr std::array<std::int64_t, 3> y_strides = {30, 6, 1};

TEST(FromC, Descriptor) {
  const fastnorm_epilogue epilogue = some_epilogue();
  fastnorm_norm_desc desc = default_norm_desc();
  desc.op = FASTNORM_OP_LAYER_NORM;
  desc.rank = 3;
  desc.extents = extents.data();
  desc.groups = 7;
  desc.eps = 8;
  desc.normalized_rank = 2;
  desc.x_type = FASTNORM_DTYPE_F16;
  desc.y_type = FASTNORM_DTYPE_BF16;
  desc.affine_type = FASTNORM_DTYPE_F64;
  desc.layout = FASTNORM_LAYOUT_CHANNELS_LAST;
  desc.residual = FASTNORM_RESIDUAL_EXACT_SUM;
  desc.x_strides = x_strides.data();
  desc.y_strides = y_strides.data();
  desc.epilogue = &epilogue;
  NormDesc read_back;
  const Status status = read(&desc, read_back);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(read_back.op, Op::layer_norm);
  EXPECT_EQ(read_back.extents, (Extents{2, 3, 4}));
  EXPECT_EQ(read_back.groups, 7);
  EXPECT_EQ(read_back.eps, 8);
  EXPECT_EQ(read_back.normalized_rank, 2);
  EXPECT_EQ(read_back.x_type, DType::f16);
  EXPECT_EQ(read_back.y_type, DType::bf16);
  EXPECT_EQ(read_back.affine_type, DType::f64);
  EXPECT_EQ(read_back.layout, Layout::channels_last);
  EXPECT_EQ(read_back.residual, Residual::exact_sum);
  EXPECT_EQ(read_back.x_strides, (Strides{20, 5, 1}));
  EXPECT_EQ(read_back.y_strides, (Strides{30, 6, 1}));
  expect_some(read_back.epilogue);
  EXPECT_EQ(read_back.epilogue.modulation, Modulation::scale_shift);

  // And back again.
  DescStorage storage;
  const fastnorm_norm_desc again = to_c(read_back, storage);
  NormDesc twice;
  ASSERT_TRUE(read(&again, twice).ok());
  EXPECT_EQ(twice.op, read_back.op);
  EXPECT_EQ(twice.extents, read_back.extents);
  EXPECT_EQ(twice.groups, read_back.groups);
  EXPECT_EQ(twice.eps, read_back.eps);
  EXPECT_EQ(twice.normalized_rank, read_back.normalized_rank);
  EXPECT_EQ(twice.x_type, read_back.x_type);
  EXPECT_EQ(twice.y_type, read_back.y_type);
  EXPECT_EQ(twice.affine_type, read_back.affine_type);
  EXPECT_EQ(twice.layout, read_back.layout);
  EXPECT_EQ(twice.residual, read_back.residual);
  EXPECT_EQ(twice.x_strides, read_back.x_strides);
  EXPECT_EQ(twice.y_strides, read_back.y_strides);
  expect_some(twice.epilogue);
  EXPECT_EQ(twice.epilogue.modulation, Modulation::scale_shift);
}

TEST(FromC, Tensors) {
  fastnorm_norm_args args = default_norm_args();
  args.x = &places[0];
  args.y = &places[1];
  args.gamma = &places[2];
  args.beta = &places[3];
  args.mean = &places[4];
  args.rstd = &places[5];
  args.residual = &places[6];
  args.sum = &places[7];
  args.scale = &places[8];
  args.shift = &places[9];
  NormArgs read_back;
  ASSERT_TRUE(read(&args, read_back).ok());
  EXPECT_EQ(read_back.x, &places[0]);
  EXPECT_EQ(read_back.y, &places[1]);
  EXPECT_EQ(read_back.gamma, &places[2]);
  EXPECT_EQ(read_back.beta, &places[3]);
  EXPECT_EQ(read_back.mean, &places[4]);
  EXPECT_EQ(read_back.rstd, &places[5]);
  EXPECT_EQ(read_back.residual, &places[6]);
  EXPECT_EQ(read_back.sum, &places[7]);
  EXPECT_EQ(read_back.scale, &places[8]);
  EXPECT_EQ(read_back.shift, &places[9]);
}

fastnorm_plan_options some_plan_options() {
  fastnorm_plan_options options = default_plan_options();
  options.memory = FASTNORM_MEMORY_DEVICE;
  options.device = 5;
  options.deterministic = 1;
  options.tuning = FASTNORM_TUNING_HEURISTIC;
  options.launches = FASTNORM_LAUNCHES_INDEPENDENT_BLOCKS;
  options.backend = "a";
  options.strategy = "b";
  options.config = "c";
  return options;
}

void expect_some(const PlanOptions& options) {
  EXPECT_EQ(options.memory, MemorySpace::device);
  EXPECT_EQ(options.device, 5);
  EXPECT_TRUE(options.deterministic);
  EXPECT_EQ(options.tuning, Tuning::heuristic);
  EXPECT_EQ(options.launches, Launches::independent_blocks);
  EXPECT_EQ(options.backend, "a");
  EXPECT_EQ(options.strategy, "b");
  EXPECT_EQ(options.config, "c");
}

TEST(FromC, PlanOptions) {
  const fastnorm_plan_options options = some_plan_options();
  PlanOptions read_back;
  ASSERT_TRUE(read("options", &options, read_back).ok());
  expect_some(read_back);

  PlanOptions defaults = read_back;
  ASSERT_TRUE(read("options", nullptr, defaults).ok());
  EXPECT_EQ(defaults.memory, MemorySpace::automatic);
  EXPECT_EQ(defaults.device, -1);
  EXPECT_FALSE(defaults.deterministic);
  EXPECT_EQ(defaults.tuning, Tuning::database);
  EXPECT_EQ(defaults.launches, Launches::all);
  EXPECT_EQ(defaults.backend, "");
  EXPECT_EQ(defaults.strategy, "");
  EXPECT_EQ(defaults.config, "");
}

TEST(FromC, OptionsOfACall) {
  const fastnorm_epilogue epilogue = some_epilogue();
  const fastnorm_plan_options plan = some_plan_options();
  fastnorm_norm_options options = default_norm_options();
  options.eps = 8;
  options.x_type = FASTNORM_DTYPE_F16;
  options.y_type = FASTNORM_DTYPE_BF16;
  options.affine_type = FASTNORM_DTYPE_F64;
  options.layout = FASTNORM_LAYOUT_CHANNELS_LAST;
  options.residual_sum = FASTNORM_RESIDUAL_EXACT_SUM;
  options.x_strides = x_strides.data();
  options.y_strides = y_strides.data();
  options.mean = &places[0];
  options.rstd = &places[1];
  options.residual = &places[2];
  options.sum = &places[3];
  options.scale = &places[4];
  options.shift = &places[5];
  options.epilogue = &epilogue;
  options.stream = &places[6];
  options.plan = &plan;
  Call call;
  call.desc.extents = {2, 3, 4};
  ASSERT_TRUE(read(&options, call).ok());
  EXPECT_EQ(call.desc.eps, 8);
  EXPECT_EQ(call.desc.x_type, DType::f16);
  EXPECT_EQ(call.desc.y_type, DType::bf16);
  EXPECT_EQ(call.desc.affine_type, DType::f64);
  EXPECT_EQ(call.desc.layout, Layout::channels_last);
  EXPECT_EQ(call.desc.residual, Residual::exact_sum);
  EXPECT_EQ(call.desc.x_strides, (Strides{20, 5, 1}));
  EXPECT_EQ(call.desc.y_strides, (Strides{30, 6, 1}));
  expect_some(call.desc.epilogue);
  EXPECT_EQ(call.desc.epilogue.modulation, Modulation::scale_shift);
  EXPECT_EQ(call.args.mean, &places[0]);
  EXPECT_EQ(call.args.rstd, &places[1]);
  EXPECT_EQ(call.args.residual, &places[2]);
  EXPECT_EQ(call.args.sum, &places[3]);
  EXPECT_EQ(call.args.scale, &places[4]);
  EXPECT_EQ(call.args.shift, &places[5]);
  EXPECT_EQ(call.stream.handle, &places[6]);
  expect_some(call.plan);
}

// What the tensors say of the descriptor.
TEST(FromC, ResidualAndModulationOfACallFollowFromItsTensors) {
  const fastnorm_epilogue epilogue = some_epilogue();
  fastnorm_norm_options options = default_norm_options();
  options.epilogue = &epilogue;
  Call without;
  ASSERT_TRUE(read(&options, without).ok());
  EXPECT_EQ(without.desc.residual, Residual::none);
  EXPECT_EQ(without.desc.epilogue.modulation, Modulation::none);

  options.residual = &places[0];
  options.shift = &places[1];
  Call with;
  ASSERT_TRUE(read(&options, with).ok());
  EXPECT_EQ(with.desc.residual, Residual::rounded_sum);
  EXPECT_EQ(with.desc.epilogue.modulation, Modulation::scale_shift);
}

}  // namespace
}  // namespace fastnorm::c_api
