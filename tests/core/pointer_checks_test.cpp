// SPDX-License-Identifier: Apache-2.0
// What may be wrong with pointers, for descriptors that no back end of this build need offer.
#include "core/pointer_checks.hpp"

#include "make_problem.hpp"
#include "support/shapes.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <string>

namespace fastnorm {
namespace {

using test::group_norm_desc;
using test::layer_norm_desc;
using test::make_problem;
using test::rms_norm_desc;

/// A stretch of addresses that nobody touches.
std::byte* place(std::size_t number) {
  return reinterpret_cast<std::byte*>((number + 1) * std::size_t{0x100000});
}

/// Every tensor that the descriptor has room for, far from each other.
NormArgs all_tensors(const NormDesc& desc) {
  NormArgs args;
  args.x = place(0);
  args.y = place(1);
  args.gamma = place(2);
  args.beta = place(3);
  if (desc.op != Op::rms_norm) args.mean = place(4);
  args.rstd = place(5);
  if (desc.residual != Residual::none) {
    args.residual = place(6);
    args.sum = place(7);
  }
  if (desc.epilogue.modulation != Modulation::none) {
    args.scale = place(8);
    args.shift = place(9);
  }
  return args;
}

/// bf16 with a residual and modulation; gamma is f32.
NormDesc full_desc() {
  NormDesc desc = group_norm_desc({3, 8, 5}, 4);
  desc.x_type = desc.y_type = DType::bf16;
  desc.residual = Residual::rounded_sum;
  desc.epilogue.modulation = Modulation::scale_shift;
  return desc;
}

void expect_refused(const Status& status, const std::string& words) {
  EXPECT_EQ(status.code(), StatusCode::invalid_argument);
  EXPECT_NE(status.message().find(words), std::string::npos)
      << "\"" << status.message() << "\" lacks \"" << words << "\"";
}

void expect_refused(const NormDesc& desc, const std::function<void(NormArgs&)>& spoil,
                    const std::string& words) {
  NormArgs args = all_tensors(desc);
  EXPECT_TRUE(check_arguments(make_problem(desc), args).ok());
  spoil(args);
  expect_refused(check_arguments(make_problem(desc), args), words);
}

void expect_accepted(const NormDesc& desc, const std::function<void(NormArgs&)>& change) {
  NormArgs args = all_tensors(desc);
  change(args);
  const Status status = check_arguments(make_problem(desc), args);
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST(PointerChecks, AResidualIsThereExactlyWhereItIsAskedFor) {
  expect_refused(
      full_desc(), [](NormArgs& args) { args.residual = nullptr; },
      "residual is null; it must point to 240 bytes");
  expect_accepted(full_desc(), [](NormArgs& args) { args.sum = nullptr; });
  const NormDesc without = group_norm_desc({3, 8, 5}, 4);
  expect_refused(
      without, [](NormArgs& args) { args.residual = place(6); },
      "residual=0x700000 must be null unless the descriptor's residual, or the options' "
      "residual_sum, is rounded_sum or exact_sum");
  expect_refused(
      without, [](NormArgs& args) { args.sum = place(7); },
      "sum=0x800000 must be null without a residual");
}

TEST(PointerChecks, ScaleAndShiftNeedModulation) {
  for (const auto change : {+[](NormArgs& args) { args.scale = nullptr; },
                            +[](NormArgs& args) { args.shift = nullptr; },
                            +[](NormArgs& args) { args.scale = args.shift = nullptr; }}) {
    expect_accepted(full_desc(), change);
  }
  const NormDesc without = group_norm_desc({3, 8, 5}, 4);
  expect_refused(
      without, [](NormArgs& args) { args.scale = place(8); },
      "scale=0x900000 must be null unless the epilogue's modulation is scale_shift");
  expect_refused(
      without, [](NormArgs& args) { args.shift = place(9); }, "shift=0x");
}

TEST(PointerChecks, RmsNormHasNoMean) {
  expect_refused(
      rms_norm_desc({3, 8}), [](NormArgs& args) { args.mean = place(4); },
      "mean=0x500000 must be null in rms_norm, which has no mean");
  expect_accepted(layer_norm_desc({3, 8}), [](NormArgs&) {});
}

TEST(PointerChecks, AlignmentIsThatOfEachType) {
  const NormDesc desc = full_desc();  // bf16 tensors, f32 gamma, scale and statistics
  const auto shift = [](auto field, std::ptrdiff_t bytes) {
    return [=](NormArgs& args) {
      args.*field = const_cast<std::byte*>(static_cast<const std::byte*>(args.*field)) + bytes;
    };
  };
  expect_refused(desc, shift(&NormArgs::x, 1), "x=0x");
  expect_refused(desc, shift(&NormArgs::residual, 1), "residual=0x");
  expect_refused(desc, shift(&NormArgs::sum, 1), "aligned to its element size, 2 bytes");
  expect_refused(desc, shift(&NormArgs::scale, 2), "aligned to its element size, 4 bytes");
  expect_refused(desc, shift(&NormArgs::shift, 2), "shift=0x");
  expect_refused(desc, shift(&NormArgs::gamma, 2), "gamma=0x");
  expect_accepted(desc, shift(&NormArgs::x, 2));
  NormDesc f64 = group_norm_desc({3, 8, 5}, 4);
  f64.x_type = f64.y_type = f64.affine_type = DType::f64;
  expect_refused(f64, shift(&NormArgs::mean, 4), "aligned to its element size, 8 bytes");
}

TEST(PointerChecks, InPlaceInEveryWay) {
  const NormDesc desc = full_desc();
  const auto x = [](NormArgs& args) { return const_cast<void*>(args.x); };
  const auto residual = [](NormArgs& args) { return const_cast<void*>(args.residual); };
  expect_accepted(desc, [&](NormArgs& args) { args.y = x(args); });
  expect_accepted(desc, [&](NormArgs& args) { args.y = residual(args); });
  expect_accepted(desc, [&](NormArgs& args) { args.sum = x(args); });
  expect_accepted(desc, [&](NormArgs& args) { args.sum = residual(args); });
  expect_accepted(desc, [&](NormArgs& args) { args.y = x(args), args.sum = residual(args); });
  expect_accepted(desc, [&](NormArgs& args) { args.sum = x(args), args.y = residual(args); });
  expect_refused(
      desc, [&](NormArgs& args) { args.y = args.sum = x(args); }, "overlaps y=0x");
  expect_refused(
      desc, [&](NormArgs& args) { args.y = args.sum; }, "sum=0x");
}

TEST(PointerChecks, InPlaceNeedsTheSameType) {
  NormDesc desc = full_desc();
  desc.y_type = DType::f32;
  expect_refused(
      desc, [](NormArgs& args) { args.y = const_cast<void*>(args.x); }, "overlaps x=0x");
  expect_refused(
      desc, [](NormArgs& args) { args.y = const_cast<void*>(args.residual); },
      "overlaps residual=0x");
  expect_accepted(desc, [](NormArgs& args) { args.sum = const_cast<void*>(args.x); });
}

TEST(PointerChecks, InputsMayShareMemory) {
  expect_accepted(full_desc(), [](NormArgs& args) {
    args.beta = args.gamma;
    args.shift = args.scale;
    args.residual = args.x;
  });
  expect_accepted(full_desc(), [](NormArgs& args) { args.scale = args.gamma; });
}

/// The last byte of each tensor is its own, and the next one anybody's.
TEST(PointerChecks, EveryTensorHasTheBytesOfItsShape) {
  const NormDesc desc = full_desc();
  const struct {
    const void* NormArgs::*field;
    std::size_t bytes;
    const char* name;
  } inputs[] = {
      {&NormArgs::x, 3 * 8 * 5 * 2, "x"},     {&NormArgs::residual, 3 * 8 * 5 * 2, "residual"},
      {&NormArgs::gamma, 8 * 4, "gamma"},     {&NormArgs::beta, 8 * 4, "beta"},
      {&NormArgs::scale, 3 * 8 * 4, "scale"}, {&NormArgs::shift, 3 * 8 * 4, "shift"}};
  for (const auto& input : inputs) {
    SCOPED_TRACE(input.name);
    const auto end = [&](NormArgs& args) {
      return const_cast<std::byte*>(static_cast<const std::byte*>(args.*input.field)) + input.bytes;
    };
    expect_accepted(desc, [&](NormArgs& args) { args.y = end(args); });
    expect_refused(
        desc, [&](NormArgs& args) { args.y = end(args) - 2; },
        std::string("overlaps ") + input.name + "=0x");
  }
  const struct {
    void* NormArgs::*field;
    std::size_t bytes;
    const char* name;
  } outputs[] = {{&NormArgs::sum, 3 * 8 * 5 * 2, "sum"},
                 {&NormArgs::mean, 3 * 4 * 4, "mean"},
                 {&NormArgs::rstd, 3 * 4 * 4, "rstd"}};
  for (const auto& output : outputs) {
    SCOPED_TRACE(output.name);
    const auto end = [&](NormArgs& args) {
      return static_cast<std::byte*>(args.*output.field) + output.bytes;
    };
    expect_accepted(desc, [&](NormArgs& args) { args.x = end(args); });
    expect_refused(
        desc, [&](NormArgs& args) { args.x = end(args) - 2; }, std::string(output.name) + "=0x");
  }
}

TEST(PointerChecks, ChannelsAndSamplesOfLayerNorm) {
  NormDesc desc = layer_norm_desc({3, 5, 8});
  desc.epilogue.modulation = Modulation::scale_shift;
  const auto behind_gamma = [](std::ptrdiff_t bytes) {
    return [=](NormArgs& args) {
      args.rstd = const_cast<std::byte*>(static_cast<const std::byte*>(args.gamma)) + bytes;
    };
  };
  expect_accepted(desc, behind_gamma(8 * 4));
  expect_refused(desc, behind_gamma(8 * 4 - 4), "overlaps gamma");
  const auto behind_scale = [](std::ptrdiff_t bytes) {
    return [=](NormArgs& args) {
      args.rstd = const_cast<std::byte*>(static_cast<const std::byte*>(args.scale)) + bytes;
    };
  };
  expect_accepted(desc, behind_scale(3 * 8 * 4));
  expect_refused(desc, behind_scale(3 * 8 * 4 - 4), "overlaps scale");
  // One value for each of the 15 rows.
  const auto behind_mean = [](std::ptrdiff_t bytes) {
    return [=](NormArgs& args) { args.rstd = static_cast<std::byte*>(args.mean) + bytes; };
  };
  expect_accepted(desc, behind_mean(15 * 4));
  expect_refused(desc, behind_mean(15 * 4 - 4), "overlaps mean");
}

/// Rows of 4 floats, each 12 from the next.
NormDesc slices_desc() {
  NormDesc desc = layer_norm_desc({3, 4});
  desc.x_strides = desc.y_strides = {12, 1};
  return desc;
}

/// y, some elements behind x.
std::function<void(NormArgs&)> y_behind_x(std::ptrdiff_t elements) {
  return [=](NormArgs& args) {
    args.y = const_cast<float*>(static_cast<const float*>(args.x)) + elements;
  };
}

TEST(PointerChecks, SlicesOfOneMatrixTakeTurns) {
  for (const std::ptrdiff_t elements : {4, 5, 8, -4, -8, 16, 20, 28, -28}) {
    expect_accepted(slices_desc(), y_behind_x(elements));
  }
  for (const std::ptrdiff_t elements : {1, 3, -1, -3, 9, 11, 12, 13, -12, 24, 27, -27}) {
    expect_refused(slices_desc(), y_behind_x(elements), "overlaps x=0x100000");
  }
  expect_accepted(slices_desc(), y_behind_x(0));
}

TEST(PointerChecks, GroupsOfAnImageWithChannelsLastTakeTurns) {
  // The first and the last 4 of 8 channels.
  NormDesc desc = group_norm_desc({2, 4, 3, 5}, 2);
  desc.x_strides = desc.y_strides = {120, 1, 40, 8};
  expect_accepted(desc, y_behind_x(4));
  expect_accepted(desc, y_behind_x(-4));
  for (const std::ptrdiff_t elements : {3, 5, 8, 40, 120, -3}) {
    expect_refused(desc, y_behind_x(elements), "overlaps x=0x");
  }
}

TEST(PointerChecks, TensorsOfOtherTypesOrStridesDoNotTakeTurns) {
  NormDesc desc = slices_desc();
  desc.y_type = DType::bf16;
  expect_refused(desc, y_behind_x(4), "overlaps x=0x");
  desc = slices_desc();
  desc.y_strides = {16, 1};
  expect_refused(desc, y_behind_x(4), "overlaps x=0x");
  expect_accepted(desc, y_behind_x(28));
  desc.y_strides = {};
  expect_refused(desc, y_behind_x(4), "overlaps x=0x");
  // Nor do the tensors of channels and rows.
  expect_refused(
      slices_desc(), [](NormArgs& args) { args.rstd = static_cast<float*>(args.y) + 4; },
      "rstd=0x200010 of 12 bytes overlaps y=0x200000 of 112 bytes;");
}

TEST(PointerChecks, ResidualAndSumLieAsX) {
  NormDesc desc = slices_desc();
  desc.residual = Residual::rounded_sum;
  const auto behind_x = [](std::ptrdiff_t elements) {
    return [=](NormArgs& args) {
      float* const x = const_cast<float*>(static_cast<const float*>(args.x));
      args.residual = x + 4;
      args.sum = x + elements;
    };
  };
  expect_accepted(desc, behind_x(0));
  expect_accepted(desc, behind_x(4));
  expect_accepted(desc, behind_x(8));
  expect_refused(desc, behind_x(7), "overlaps residual=0x100010");
}

TEST(PointerChecks, InPlaceNeedsTheSameStrides) {
  NormDesc desc = slices_desc();
  expect_accepted(desc, y_behind_x(0));
  desc.y_strides = {16, 1};
  expect_refused(desc, y_behind_x(0), "of the same type and strides");
  desc.x_strides = {4, 1};
  desc.y_strides = {};
  expect_accepted(desc, y_behind_x(0));
  desc = layer_norm_desc({1, 4});
  desc.x_strides = {12, 1};
  expect_accepted(desc, y_behind_x(0));
}

TEST(PointerChecks, SpansReachFromTheFirstElementToTheLast) {
  const NormDesc desc = slices_desc();
  expect_refused(
      desc, [](NormArgs& args) { args.x = nullptr; }, "x is null; it must point to 112 bytes");
  expect_refused(
      desc, [](NormArgs& args) { args.y = nullptr; }, "y is null; it must point to 112 bytes");
  const auto behind_x = [](std::ptrdiff_t bytes) {
    return [=](NormArgs& args) {
      args.rstd = const_cast<std::byte*>(static_cast<const std::byte*>(args.x)) + bytes;
    };
  };
  expect_accepted(desc, behind_x(112));
  expect_refused(desc, behind_x(108), "overlaps x=0x");
  NormDesc other_y = desc;
  other_y.y_strides = {20, 1};
  expect_refused(
      other_y, [](NormArgs& args) { args.y = nullptr; }, "y is null; it must point to 176 bytes");
}

/// What a plan that needs 96 bytes says to a workspace.
Status with_workspace(const void* data, std::size_t bytes = 96) {
  const NormDesc desc = full_desc();
  return check_arguments(make_problem(desc), all_tensors(desc), WorkspaceArgument{data, bytes, 96});
}

TEST(PointerChecks, AWorkspaceIsLargeEnoughAndAligned) {
  EXPECT_TRUE(with_workspace(place(20)).ok());
  expect_refused(with_workspace(nullptr), "workspace is null; it must point to 96 bytes");
  expect_refused(with_workspace(place(20), 95), "workspace_bytes=95 is too small");
  expect_refused(with_workspace(place(20) + 8), "workspace=0x1500008 must be aligned to 16 bytes");
}

/// It may end where a tensor begins, and begin behind its end; each tensor has the bytes of its
/// shape.
TEST(PointerChecks, AWorkspaceIsApartFromEveryTensor) {
  const NormArgs args = all_tensors(full_desc());
  const struct {
    const void* data;
    std::size_t bytes;
    const char* name;
  } tensors[] = {{args.x, 240, "x"},
                 {args.y, 240, "y"},
                 {args.gamma, 32, "gamma"},
                 {args.beta, 32, "beta"},
                 {args.mean, 48, "mean"},
                 {args.rstd, 48, "rstd"},
                 {args.residual, 240, "residual"},
                 {args.sum, 240, "sum"},
                 {args.scale, 96, "scale"},
                 {args.shift, 96, "shift"}};
  for (const auto& tensor : tensors) {
    SCOPED_TRACE(tensor.name);
    const auto* const begin = static_cast<const std::byte*>(tensor.data);
    const std::byte* const end = begin + tensor.bytes;
    const std::string overlaps = " of 96 bytes overlaps " + std::string(tensor.name) + "=0x";
    EXPECT_TRUE(with_workspace(begin - 96).ok());
    expect_refused(with_workspace(begin - 80), overlaps);
    expect_refused(with_workspace(begin), overlaps);
    expect_refused(with_workspace(end - 16), overlaps);
    EXPECT_TRUE(with_workspace(end).ok());
  }
  expect_refused(with_workspace(place(1)),
                 "workspace=0x200000 of 96 bytes overlaps y=0x200000 of 240 bytes;");
}

/// What the plan does not use is not its workspace.
TEST(PointerChecks, AWorkspaceIsAsLargeAsThePlanNeeds) {
  EXPECT_TRUE(with_workspace(place(1) - 96, 0x1000).ok());
  const NormDesc desc = full_desc();
  const auto ask_for_none = [&](const void* data) {
    return check_arguments(make_problem(desc), all_tensors(desc), WorkspaceArgument{data, 0, 0});
  };
  EXPECT_TRUE(ask_for_none(nullptr).ok());
  EXPECT_TRUE(ask_for_none(place(1) + 1).ok());
}

TEST(PointerChecks, WrongTensorsAreFoundBesideAWorkspace) {
  const NormDesc desc = full_desc();
  NormArgs args = all_tensors(desc);
  args.sum = args.y;
  const WorkspaceArgument workspace{place(20), 96, 96};
  expect_refused(check_arguments(make_problem(desc), args, workspace), "overlaps y=0x");
  args.x = nullptr;
  expect_refused(check_arguments(make_problem(desc), args, workspace), "x is null");
}

}  // namespace
}  // namespace fastnorm
