// SPDX-License-Identifier: Apache-2.0
#include "backends/kokkos/epilogue.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace fastnorm::kokkos {
namespace {

/// Two samples of two rows of three channels each.
Normalization call_of_channels() {
  Normalization call;
  call.rows = 4;
  call.row_len = 12;
  call.rows_per_sample = 2;
  call.channels = 6;
  call.affine = {2, 3, 4};
  return call;
}

struct Affine {
  std::vector<float> factor = std::vector<float>(2);
  std::vector<float> offset = std::vector<float>(2);
};

/// The second and third channel of the row.
Affine read(const Normalization& call, std::int64_t row) {
  Affine affine;
  read_channels(call, row, 1, 2, affine.factor.data(), affine.offset.data());
  return affine;
}

const std::vector<float> gamma = {1, 2, 3, 4, 5, 6};
const std::vector<float> beta = {10, 20, 30, 40, 50, 60};

TEST(Channels, ArePlainWithoutTensors) {
  const Affine affine = read(call_of_channels(), 3);
  EXPECT_EQ(affine.factor, (std::vector<float>{1, 1}));
  EXPECT_EQ(affine.offset, (std::vector<float>{0, 0}));
}

TEST(Channels, FollowTheRow) {
  Normalization call = call_of_channels();
  call.tensors.gamma = gamma.data();
  call.tensors.beta = beta.data();
  for (const std::int64_t sample : {0, 1}) {
    EXPECT_EQ(read(call, 2 * sample).factor, (std::vector<float>{2, 3}));
    EXPECT_EQ(read(call, 2 * sample + 1).factor, (std::vector<float>{5, 6}));
    EXPECT_EQ(read(call, 2 * sample + 1).offset, (std::vector<float>{50, 60}));
  }
}

TEST(Channels, CentredGammaIsOneMore) {
  Normalization call = call_of_channels();
  call.epilogue.gamma = GammaForm::centred_zero;
  EXPECT_EQ(read(call, 0).factor, (std::vector<float>{1, 1}));  // Absent, it stays 1.
  call.tensors.gamma = gamma.data();
  EXPECT_EQ(read(call, 0).factor, (std::vector<float>{3, 4}));
}

TEST(Channels, ModulationIsTheSamplesOwn) {
  Normalization call = call_of_channels();
  call.tensors.gamma = gamma.data();
  call.tensors.beta = beta.data();
  call.epilogue.modulation = Modulation::scale_shift;
  std::vector<float> scale(12, 0);
  std::vector<float> shift(12, 0);
  scale[10] = 1;  // Sample 1, row 3, channel 1 of the row.
  shift[11] = 7;
  call.tensors.scale = scale.data();
  call.tensors.shift = shift.data();
  EXPECT_EQ(read(call, 1).factor, (std::vector<float>{5, 6}));
  EXPECT_EQ(read(call, 3).factor, (std::vector<float>{10, 6}));
  EXPECT_EQ(read(call, 3).offset, (std::vector<float>{100, 67}));
}

TEST(Channels, AreReadInTheirType) {
  Normalization call = call_of_channels();
  std::vector<BFloat16> narrow_gamma;
  for (const float value : gamma) narrow_gamma.push_back(narrow<BFloat16>(value));
  call.affine_type = DType::bf16;
  call.tensors.gamma = narrow_gamma.data();
  EXPECT_EQ(read(call, 1).factor, (std::vector<float>{5, 6}));

  Normalization in_double = call_of_channels();
  in_double.x_type = DType::f64;
  in_double.tensors.gamma = gamma.data();
  double factor = 0;
  double offset = 1;
  read_channels(in_double, 1, 2, 1, &factor, &offset);
  EXPECT_EQ(factor, 6);
  EXPECT_EQ(offset, 0);
}

/// One channel: factor 2, offset 1.
float applied(const Normalization& call, const Standardizer<float>& standardizer, float h) {
  const auto map = [](const Standardizer<float>& of_row, const float* from, float* to) {
    *to = of_row.line(2, 1)(*from);
  };
  float out = 0;
  apply_epilogue(call, standardizer, map, &h, 1, &out);
  return out;
}

TEST(Epilogue, StandardisesMapsAndActivates) {
  const Standardizer<float> standardizer{3, 0, 0.5};
  Normalization call;
  EXPECT_EQ(applied(call, standardizer, 7), 5);
  EXPECT_EQ(applied(call, standardizer, -3), -5);
  call.epilogue.activation = Activation::relu;
  EXPECT_EQ(applied(call, standardizer, -3), 0);
}

TEST(Epilogue, RoundsTheNormalisedValueWhereThatIsAsked) {
  const Standardizer<float> standardizer{0, 0, 1};
  constexpr float h = 1 + 0x1p-8F + 0x1p-12F;  // Beyond the middle of two of bf16.
  Normalization call;
  call.affine_type = DType::bf16;
  EXPECT_EQ(applied(call, standardizer, h), 2 * h + 1);
  call.epilogue.normalised = NormalisedRounding::affine_type;
  EXPECT_EQ(applied(call, standardizer, h), 2 * (1 + 0x1p-7F) + 1);
  call.affine_type = DType::f32;  // Which has all the digits.
  EXPECT_EQ(applied(call, standardizer, h), 2 * h + 1);
}

}  // namespace
}  // namespace fastnorm::kokkos
