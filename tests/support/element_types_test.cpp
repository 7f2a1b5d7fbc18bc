// SPDX-License-Identifier: Apache-2.0
// The conversions of the element types, against their formats' definitions.
#include "support/element_types.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace fastnorm::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(ElementTypes, KnownBits) {
  EXPECT_EQ(to_bits(DType::f16, 1), 0x3C00U);
  EXPECT_EQ(to_bits(DType::f16, -2), 0xC000U);
  EXPECT_EQ(to_bits(DType::f16, 65504), 0x7BFFU);
  EXPECT_EQ(to_bits(DType::f16, 0x1p-24), 0x0001U);
  EXPECT_EQ(to_bits(DType::f16, 0x1p-14), 0x0400U);
  EXPECT_EQ(to_bits(DType::f16, -0.0), 0x8000U);
  EXPECT_EQ(to_bits(DType::f16, infinity), 0x7C00U);
  EXPECT_EQ(to_bits(DType::bf16, 1), 0x3F80U);
  EXPECT_EQ(to_bits(DType::bf16, -256), 0xC380U);
  EXPECT_EQ(to_bits(DType::bf16, -infinity), 0xFF80U);
  EXPECT_EQ(to_bits(DType::f32, 1), 0x3F800000U);
  EXPECT_EQ(to_bits(DType::f64, 1), 0x3FF0000000000000U);
}

TEST(ElementTypes, RoundToNearestEven) {
  EXPECT_EQ(rounded(DType::bf16, 1 + 0x1p-8), 1);
  EXPECT_EQ(rounded(DType::bf16, 1 + 3 * 0x1p-8), 1.015625);
  EXPECT_EQ(rounded(DType::bf16, 1 + 0x1p-8 + 0x1p-40), 1 + 0x1p-7);
  EXPECT_EQ(rounded(DType::f16, 2049), 2048);
  EXPECT_EQ(rounded(DType::f16, 2051), 2052);
  EXPECT_EQ(rounded(DType::f16, 65519), 65504);
  EXPECT_EQ(rounded(DType::f16, 65520), infinity);
  EXPECT_EQ(rounded(DType::f16, -1e9), -infinity);
  EXPECT_EQ(rounded(DType::f16, 0x1p-25), 0);
  EXPECT_EQ(rounded(DType::f16, 0x1.8p-25), 0x1p-24);
  EXPECT_EQ(rounded(DType::f16, 3 * 0x1p-25), 2 * 0x1p-24);
  EXPECT_EQ(rounded(DType::f32, 0x1p24 + 1), 0x1p24);
  EXPECT_EQ(rounded(DType::f64, 0.1), 0.1);
}

class SixteenBits : public ::testing::TestWithParam<DType> {};

TEST_P(SixteenBits, EveryPatternSurvivesAndNeighboursAreApart) {
  for (std::uint64_t bits = 0; bits < 0x10000; ++bits) {
    const double value = from_bits(GetParam(), bits);
    if (std::isnan(value)) continue;
    ASSERT_EQ(to_bits(GetParam(), value), bits) << value;
    ASSERT_EQ(rounded(GetParam(), value), value);
  }
}

TEST_P(SixteenBits, MidpointsGoToTheEvenNeighbour) {
  const std::uint64_t largest = GetParam() == DType::f16 ? 0x7BFF : 0x7F7F;
  for (std::uint64_t bits = 0; bits < largest; ++bits) {
    const double low = from_bits(GetParam(), bits);
    const double high = from_bits(GetParam(), bits + 1);
    ASSERT_LT(low, high);
    const double middle = low / 2 + high / 2;
    ASSERT_EQ(rounded(GetParam(), middle), bits % 2 == 0 ? low : high) << middle;
    ASSERT_EQ(rounded(GetParam(), std::nextafter(middle, low)), low) << middle;
    ASSERT_EQ(rounded(GetParam(), -std::nextafter(middle, high)), -high) << middle;
  }
}

INSTANTIATE_TEST_SUITE_P(Types, SixteenBits, ::testing::Values(DType::f16, DType::bf16),
                         [](const auto& info) { return std::string(to_string(info.param)); });

TEST(ElementTypes, NaNsAreKeptWithTheirBits) {
  for (const DType type : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
    EXPECT_TRUE(std::isnan(rounded(type, nan)));
    EXPECT_TRUE(std::isnan(from_bits(type, to_bits(type, nan))));
  }
  const double a = from_bits(DType::f16, 0x7E00);
  const double b = from_bits(DType::f16, 0x7FFF);
  EXPECT_TRUE(std::isnan(a) && std::isnan(b));
  EXPECT_NE(std::memcmp(&a, &b, sizeof a), 0);
}

TEST(ElementTypes, TensorsComeBackRounded) {
  const Values values = {0.1, -3, 1e-3, 70000, 0};
  for (const DType type : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
    EXPECT_EQ(encode(type, values).size(), values.size() * size_of(type));
    EXPECT_EQ(decode(type, encode(type, values)), rounded(type, values));
  }
}

}  // namespace
}  // namespace fastnorm::test
