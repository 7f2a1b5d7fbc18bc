// SPDX-License-Identifier: Apache-2.0
#include "core/enum_values.hpp"

#include <fastnorm/fastnorm.hpp>

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>

namespace fastnorm {
namespace {

TEST(Version, IsThatOfTheHeader) {
  const std::string expected = std::to_string(FASTNORM_VERSION_MAJOR) + "." +
                               std::to_string(FASTNORM_VERSION_MINOR) + "." +
                               std::to_string(FASTNORM_VERSION_PATCH);
  EXPECT_EQ(version(), expected);
}

TEST(Types, ElementSizes) {
  EXPECT_EQ(size_of(DType::f32), 4U);
  EXPECT_EQ(size_of(DType::f16), 2U);
  EXPECT_EQ(size_of(DType::bf16), 2U);
  EXPECT_EQ(size_of(DType::f64), 8U);
}

TEST(Types, NamesAreTheSpellingsOfTheDatabase) {
  EXPECT_STREQ(to_string(Op::group_norm), "group_norm");
  EXPECT_STREQ(to_string(Op::instance_norm), "instance_norm");
  EXPECT_STREQ(to_string(Op::layer_norm), "layer_norm");
  EXPECT_STREQ(to_string(Op::rms_norm), "rms_norm");
  EXPECT_STREQ(to_string(DType::bf16), "bf16");
  EXPECT_STREQ(to_string(Activation::gelu_tanh), "gelu_tanh");
  EXPECT_STREQ(to_string(Residual::rounded_sum), "rounded_sum");
  EXPECT_STREQ(to_string(Layout::channels_last), "channels_last");
  EXPECT_STREQ(to_string(MemorySpace::automatic), "automatic");
}

template <class Enum, std::size_t count>
void expect_distinct_names(const std::array<Enum, count>& values) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_EQ(static_cast<std::size_t>(values[i]), i) << "the list is complete and in order";
    const std::string name = to_string(values[i]);
    EXPECT_EQ(name.find(' '), std::string::npos) << name;
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_EQ(find_by_name(values, name), values[i]);
  }
  EXPECT_EQ(std::string(to_string(static_cast<Enum>(count))).rfind("unknown ", 0), 0U)
      << "a value is missing from the list";
}

TEST(Types, EveryValueHasAName) {
  expect_distinct_names(all_ops);
  expect_distinct_names(all_dtypes);
  expect_distinct_names(all_layouts);
  expect_distinct_names(all_activations);
  expect_distinct_names(all_residuals);
  expect_distinct_names(all_gamma_forms);
  expect_distinct_names(all_normalised_roundings);
  expect_distinct_names(all_modulations);
}

TEST(Extents, ComparesRankAndValues) {
  EXPECT_EQ((Extents{2, 3, 4}), (Extents{2, 3, 4}));
  EXPECT_NE((Extents{2, 3, 4}), (Extents{2, 3, 5}));
  EXPECT_NE((Extents{2, 3}), (Extents{2, 3, 0}));
}

TEST(Extents, CountsBeyondItsCapacityWithoutWritingThere) {
  Extents extents;
  for (int i = 0; i < 100; ++i) extents.push_back(i);
  EXPECT_EQ(extents.rank(), 100);
  EXPECT_EQ(extents[Extents::max_rank - 1], Extents::max_rank - 1);
}

TEST(Status, DefaultIsSuccess) {
  EXPECT_TRUE(Status().ok());
  EXPECT_EQ(Status().code(), StatusCode::ok);
  EXPECT_TRUE(Status().message().empty());
  EXPECT_STREQ(to_string(StatusCode::invalid_argument), "invalid_argument");
  EXPECT_STREQ(to_string(StatusCode::device_error), "device_error");
}

TEST(Result, HoldsAValueOrAStatus) {
  const Result<int> value = 3;
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(value.value(), 3);
  EXPECT_TRUE(value.status().ok());

  const Result<int> failure = Status(StatusCode::unsupported, "because");
  ASSERT_FALSE(failure.ok());
  EXPECT_EQ(failure.status().code(), StatusCode::unsupported);
  EXPECT_EQ(failure.status().message(), "because");
}

}  // namespace
}  // namespace fastnorm
