#include <fastnorm/fastnorm.hpp>

#include <gtest/gtest.h>

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
  EXPECT_STREQ(to_string(DType::bf16), "bf16");
  EXPECT_STREQ(to_string(Layout::channels_last), "channels_last");
  EXPECT_STREQ(to_string(MemorySpace::automatic), "automatic");
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
