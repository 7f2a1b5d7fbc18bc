// SPDX-License-Identifier: Apache-2.0
#include "backends/kokkos/row_passes.hpp"

#include "support/random.hpp"
#include "support/tolerance.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace fastnorm::kokkos {
namespace {

using test::normal_values;

struct Exact {
  long double mean = 0;
  long double variance = 0;
};

Exact exact(const std::vector<float>& values) {
  const auto count = static_cast<long double>(values.size());
  Exact result;
  for (const float value : values) result.mean += static_cast<long double>(value) / count;
  for (const float value : values) {
    const long double delta = static_cast<long double>(value) - result.mean;
    result.variance += delta * delta / count;
  }
  return result;
}

template <int Lanes>
Moments moments_of(const std::vector<float>& values, std::int64_t block,
                   Statistics statistics = Statistics::mean_variance) {
  return part_moments<Lanes>(statistics, values.data(), static_cast<std::int64_t>(values.size()),
                             block);
}

template <int Lanes>
void expect_exact(const std::vector<float>& values, std::int64_t block) {
  const Moments moments = moments_of<Lanes>(values, block);
  const Exact expected = exact(values);
  const auto deviation = static_cast<double>(std::sqrt(expected.variance));
  EXPECT_EQ(moments.count, static_cast<double>(values.size()));
  EXPECT_NEAR(moments.mean, static_cast<double>(expected.mean), 1e-6 * deviation)
      << values.size() << " values, lanes " << Lanes << ", block " << block;
  EXPECT_NEAR(moments.m2 / moments.count, static_cast<double>(expected.variance),
              2e-6 * static_cast<double>(expected.variance))
      << values.size() << " values, lanes " << Lanes << ", block " << block;
}

void expect_exact(const std::vector<float>& values) {
  for (const std::int64_t block : {1024, 4096}) {
    expect_exact<32>(values, block);
    expect_exact<64>(values, block);
  }
}

TEST(PartMoments, AnyLength) {
  for (const std::size_t count :
       {1U, 2U, 7U, 8U, 31U, 32U, 33U, 63U, 65U, 1023U, 1025U, 4097U, 100003U}) {
    expect_exact(normal_values(count, count, 0.5F, 2.0F));
  }
}

TEST(PartMoments, MeanFarAboveTheDeviation) { expect_exact(normal_values(50000, 7, 1e4F, 0.5F)); }

TEST(PartMoments, DriftingMean) {
  std::vector<float> values = normal_values(20000, 7);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += static_cast<float>(i);
  expect_exact(values);
}

TEST(PartMoments, OutlierInAnyPlace) {
  for (const std::size_t at : {0U, 1U, 500U, 4999U}) {
    std::vector<float> values = normal_values(5000, 7);
    values[at] = 1e6F;
    expect_exact(values);
  }
}

TEST(PartMoments, SquaresBeyondAFloat) {
  std::vector<float> values = normal_values(3000, 7);
  for (float& value : values) value *= 1e30F;
  expect_exact(values);
}

TEST(PartMoments, ConstantHasNoVariance) {
  const std::vector<float> values(5000, 1234.0F);
  const Moments moments = moments_of<32>(values, 1024);
  EXPECT_EQ(moments.mean, 1234);
  EXPECT_NEAR(moments.m2, 0, 1e-12);
}

TEST(PartMoments, NanAndInfinityBecomeNan) {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    std::vector<float> values = normal_values(5000, 7);
    values[3000] = bad;
    EXPECT_TRUE(std::isnan(moments_of<32>(values, 1024).m2));
  }
}

/// A call on two rows of 120 elements, with as many channels as `inner` leaves.
struct ApplyCase {
  explicit ApplyCase(std::int64_t inner) {
    call.rows = 2;
    call.row_len = 120;
    call.affine = {2, 120 / inner, inner};
    call.tensors.x = x.data();
    call.tensors.y = y.data();
  }

  float expected(std::int64_t row, std::int64_t i) const {
    const auto channel =
        static_cast<std::size_t>(row * call.affine.channels_per_row + i / call.affine.inner);
    const double g = call.tensors.gamma != nullptr ? static_cast<double>(gamma[channel]) : 1.0;
    const double b = call.tensors.beta != nullptr ? static_cast<double>(beta[channel]) : 0.0;
    const double mean = static_cast<double>(standardizer.centre) + standardizer.rest;
    const auto value = static_cast<double>(x[static_cast<std::size_t>(row * 120 + i)]);
    return static_cast<float>((value - mean) * standardizer.rstd * g + b);
  }

  std::vector<float> x = normal_values(240, 1, 3.0F);
  std::vector<float> gamma = normal_values(240, 2);
  std::vector<float> beta = normal_values(240, 3);
  std::vector<float> y = std::vector<float>(240, std::numeric_limits<float>::quiet_NaN());
  Standardizer<float> standardizer{3.0F, 1e-9, 0.75};
  Normalization call;
};

template <class Passes>
void expect_applied(ApplyCase& test) {
  // In uneven pieces, whose bounds fall inside channels.
  const std::int64_t bounds[] = {0, 1, 17, 60, 119, 120};
  for (std::int64_t row = 0; row < 2; ++row) {
    for (std::size_t piece = 0; piece + 1 < std::size(bounds); ++piece) {
      Passes::apply(test.call, test.standardizer, row, bounds[piece], bounds[piece + 1]);
    }
    for (std::int64_t i = 0; i < 120; ++i) {
      EXPECT_NEAR(test.y[static_cast<std::size_t>(row * 120 + i)], test.expected(row, i), 2e-6)
          << "row " << row << ", element " << i << ", inner " << test.call.affine.inner;
    }
  }
}

template <class Passes>
class RowPasses : public ::testing::Test {};
using BothPasses = ::testing::Types<DirectPasses<float>, BufferedPasses<float>>;
TYPED_TEST_SUITE(RowPasses, BothPasses);

TYPED_TEST(RowPasses, EveryChannelMeetsItsGammaAndBeta) {
  for (const std::int64_t inner : {1, 2, 3, 40, 120}) {
    ApplyCase both(inner);
    both.call.tensors.gamma = both.gamma.data();
    both.call.tensors.beta = both.beta.data();
    expect_applied<TypeParam>(both);

    ApplyCase gamma_only(inner);
    gamma_only.call.tensors.gamma = gamma_only.gamma.data();
    expect_applied<TypeParam>(gamma_only);

    ApplyCase beta_only(inner);
    beta_only.call.tensors.beta = beta_only.beta.data();
    expect_applied<TypeParam>(beta_only);

    ApplyCase neither(inner);
    expect_applied<TypeParam>(neither);
  }
}

TYPED_TEST(RowPasses, InPlace) {
  for (const std::int64_t inner : {1, 40, 120}) {
    ApplyCase separate(inner);
    ApplyCase in_place(inner);
    in_place.call.tensors.y = in_place.x.data();
    for (ApplyCase* test : {&separate, &in_place}) {
      test->call.tensors.gamma = test->gamma.data();
      test->call.tensors.beta = test->beta.data();
      for (std::int64_t row = 0; row < 2; ++row) {
        TypeParam::apply(test->call, test->standardizer, row, 0, 120);
      }
    }
    EXPECT_TRUE(test::same_bits("y", in_place.x, separate.y)) << "inner " << inner;
  }
}

TEST(DirectPasses, ServeOnlyWhatNeedsNoBuffer) {
  const std::vector<float> gamma(8, 1);
  Normalization plain;
  plain.tensors.gamma = gamma.data();
  EXPECT_TRUE(DirectPasses<float>::serve(plain));
  for (auto spoil :
       {+[](Normalization& call) { call.x_type = DType::bf16; },
        +[](Normalization& call) { call.y_type = DType::f16; },
        +[](Normalization& call) { call.affine_type = DType::f16; },
        +[](Normalization& call) { call.residual = Residual::exact_sum; },
        +[](Normalization& call) { call.epilogue.activation = Activation::relu; },
        +[](Normalization& call) { call.epilogue.gamma = GammaForm::centred_zero; },
        +[](Normalization& call) { call.epilogue.modulation = Modulation::scale_shift; }}) {
    Normalization call = plain;
    spoil(call);
    EXPECT_FALSE(DirectPasses<float>::serve(call));
  }
}

TEST(PartMoments, MeanSquareIsAboutZero) {
  for (const float deviation : {0.5F, 1e30F}) {
    const std::vector<float> values = normal_values(5003, 7, deviation, deviation);
    const Moments moments = moments_of<32>(values, 1024, Statistics::mean_square);
    double squares = 0;
    for (const float value : values) {
      squares += static_cast<double>(value) * static_cast<double>(value);
    }
    EXPECT_EQ(moments.count, 5003);
    EXPECT_EQ(moments.mean, 0);
    EXPECT_NEAR(moments.m2, squares, 2e-6 * squares);
  }
}

TEST(Standardizer, AnInfiniteVarianceGivesNaN) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(std::isnan(Standardizer<double>::of({2, 0, infinity}, 1e-5).rstd));
}

TEST(Standardizer, LargeMeanKeepsItsDigits) {
  // A mean that no float holds: x is one deviation above it.
  const Moments moments{2, 10000.0003, 2e-4};
  const Standardizer<float> standardizer = Standardizer<float>::of(moments, 0);
  const float x = 10000.01F;
  const double expected = (static_cast<double>(x) - moments.mean) / 1e-2;
  EXPECT_NEAR(standardizer.line(1, 0)(x), expected, 1e-6);
  EXPECT_NEAR(standardizer.line(1e6, 5)(x), expected * 1e6 + 5, 1);
}

}  // namespace
}  // namespace fastnorm::kokkos
