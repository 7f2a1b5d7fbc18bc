// SPDX-License-Identifier: Apache-2.0
#include "backends/kokkos/element_runs.hpp"
#include "measure/elements.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace fastnorm::kokkos {
namespace {

/// The 16-bit types with their independent conversions.
struct HalfCase {
  using Element = Half;
  using Reference = measure::Half;
};
struct BFloat16Case {
  using Element = BFloat16;
  using Reference = measure::BFloat16;
};

template <class Case>
class Element : public ::testing::Test {
 protected:
  using T = typename Case::Element;
  using Reference = typename Case::Reference;

  static std::vector<T> all_elements() {
    std::vector<T> all;
    for (std::uint32_t bits = 0; bits <= 0xffff; ++bits) {
      all.push_back({static_cast<std::uint16_t>(bits)});
    }
    return all;
  }

  /// As runs, which are what the vectoriser makes something of.
  static std::vector<float> widened(const std::vector<T>& elements) {
    std::vector<float> values(elements.size());
    widen_run(elements.data(), static_cast<std::int64_t>(elements.size()), values.data());
    return values;
  }
  static std::vector<T> narrowed(const std::vector<float>& values) {
    std::vector<T> elements(values.size());
    narrow_run(values.data(), static_cast<std::int64_t>(values.size()), elements.data());
    return elements;
  }

  static float reference(T element) {
    return static_cast<float>(measure::widen(Reference{element.bits}));
  }

  static void expect_nearest(const std::vector<float>& values) {
    const std::vector<T> elements = narrowed(values);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto expected = measure::narrow<Reference>(static_cast<double>(values[i]));
      ASSERT_EQ(elements[i].bits, expected.bits) << values[i];
      ASSERT_EQ(narrow<T>(values[i]).bits, expected.bits) << values[i] << ", by itself";
    }
  }
};

using Cases = ::testing::Types<HalfCase, BFloat16Case>;
TYPED_TEST_SUITE(Element, Cases);

TYPED_TEST(Element, EveryBitPatternWidens) {
  const auto elements = this->all_elements();
  const std::vector<float> values = this->widened(elements);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const float expected = this->reference(elements[i]);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(values[i])) << i;
    } else {
      ASSERT_EQ(values[i], expected) << i;
      ASSERT_EQ(std::signbit(values[i]), std::signbit(expected)) << i;
    }
    ASSERT_EQ(std::memcmp(&values[i], std::vector{widen(elements[i])}.data(), sizeof(float)), 0)
        << i << ", by itself";
  }
}

TYPED_TEST(Element, EveryBitPatternComesBack) {
  const auto elements = this->all_elements();
  const auto back = this->narrowed(this->widened(elements));
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (std::isnan(this->reference(elements[i]))) {
      ASSERT_TRUE(std::isnan(this->reference(back[i]))) << i;
    } else {
      ASSERT_EQ(back[i].bits, elements[i].bits);
    }
  }
}

/// Halfway to the next element, and the floats beside that.
TYPED_TEST(Element, TiesGoToEven) {
  std::vector<float> values;
  const auto elements = this->all_elements();
  for (std::size_t i = 0; i + 1 < elements.size(); ++i) {
    const double one = static_cast<double>(this->reference(elements[i]));
    const double next = static_cast<double>(this->reference(elements[i + 1]));
    if (!std::isfinite(one) || !std::isfinite(next)) continue;
    const auto tie = static_cast<float>((one + next) / 2);
    values.push_back(tie);
    values.push_back(std::nextafter(tie, -std::numeric_limits<float>::infinity()));
    values.push_back(std::nextafter(tie, std::numeric_limits<float>::infinity()));
  }
  this->expect_nearest(values);
}

TYPED_TEST(Element, BeyondTheLargestIsInfinite) {
  this->expect_nearest({65504.0F, 65519.996F, 65520.0F, -65520.0F, 1e6F, -1e38F, 3.38953139e38F,
                        3.3961775e38F, -3.3961775e38F, std::numeric_limits<float>::max(),
                        std::numeric_limits<float>::infinity(),
                        -std::numeric_limits<float>::infinity()});
}

TYPED_TEST(Element, BelowTheSmallestIsZeroWithItsSign) {
  this->expect_nearest({0.0F, -0.0F, 0x1p-24F, 0x1p-25F, -0x1p-25F, 0x1.000002p-25F, 0x1p-26F,
                        0x1p-149F, -0x1p-149F, 0x1p-126F});
}

TYPED_TEST(Element, AnyFloatGoesToTheNearest) {
  std::mt19937 engine(1);
  std::vector<float> values;
  while (values.size() < 1000000) {
    const auto bits = static_cast<std::uint32_t>(engine());
    float value = 0;
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isnan(value)) values.push_back(value);
  }
  this->expect_nearest(values);
}

TYPED_TEST(Element, NaNKeepsItsSign) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const float value : {nan, -nan, std::numeric_limits<float>::signaling_NaN()}) {
    const auto element = narrow<typename TypeParam::Element>(value);
    EXPECT_TRUE(std::isnan(widen(element)));
    EXPECT_EQ(std::signbit(widen(element)), std::signbit(value));
  }
}

TEST(Element, FloatAndDoubleAreThemselves) {
  EXPECT_EQ(widen(0.1F), 0.1F);
  EXPECT_EQ(widen(0.1), 0.1);
  EXPECT_EQ(narrow<float>(0.1), 0.1F);
  EXPECT_EQ(narrow<double>(0.1), 0.1);
}

}  // namespace
}  // namespace fastnorm::kokkos
