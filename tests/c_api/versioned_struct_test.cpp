// SPDX-License-Identifier: Apache-2.0
// A struct that has grown since its first version, in all versions of the program.
#include "c_api/versioned_struct.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace fastnorm::c_api {
namespace {

struct First {
  std::size_t struct_size = sizeof(First);
  std::int64_t a = 1;
};

struct Now {
  std::size_t struct_size = sizeof(Now);
  std::int64_t a = 1;
  std::int64_t b = 0;
};

struct Later {
  std::size_t struct_size = sizeof(Later);
  std::int64_t a = 1;
  std::int64_t b = 0;
  std::int64_t c = 0;
};

constexpr StructSizes sizes = {sizeof(First), sizeof(Now)};

TEST(VersionedStruct, MembersThatAnOlderProgramLacksHaveTheirDefaults) {
  First from;
  from.a = 7;
  Now to;
  to.b = 5;  // as a default
  ASSERT_TRUE(read_struct("desc", &from, sizes, &to).ok());
  EXPECT_EQ(to.a, 7);
  EXPECT_EQ(to.b, 5);
}

TEST(VersionedStruct, AllMembersOfAProgramOfTheSameVersionAreRead) {
  Now from;
  from.a = 7;
  from.b = 8;
  Now to;
  ASSERT_TRUE(read_struct("desc", &from, sizes, &to).ok());
  EXPECT_EQ(to.a, 7);
  EXPECT_EQ(to.b, 8);
}

TEST(VersionedStruct, ANewerProgramMayLeaveItsNewMembersAtZero) {
  Later from;
  from.b = 8;
  Now to;
  ASSERT_TRUE(read_struct("desc", &from, sizes, &to).ok());
  EXPECT_EQ(to.b, 8);
}

TEST(VersionedStruct, ANewerProgramThatAsksForMoreIsRefused) {
  Later from;
  from.b = 8;
  from.c = std::int64_t{1} << 56;
  Now to;
  const Status status = read_struct("desc", &from, sizes, &to);
  EXPECT_EQ(status.code(), StatusCode::unsupported);
  EXPECT_NE(status.message().find("desc.struct_size=32: byte "), std::string::npos)
      << status.message();
  EXPECT_EQ(to.b, 0);
}

TEST(VersionedStruct, SizesThatNoVersionHasHadAreRefused) {
  Now to;
  for (const std::size_t size : {std::size_t{0}, sizeof(First) - 1, most_struct_bytes + 1}) {
    First from;
    from.struct_size = size;
    EXPECT_EQ(read_struct("desc", &from, sizes, &to).code(), StatusCode::invalid_argument);
  }
}

TEST(VersionedStruct, AnOlderProgramGetsNoMoreThanItHasRoomFor) {
  Now from;
  from.a = 7;
  from.b = 8;
  struct {
    First program;
    std::int64_t behind = 9;
  } to;
  write_struct(&from, sizes, &to.program, sizeof(First));
  EXPECT_EQ(to.program.struct_size, sizeof(First));
  EXPECT_EQ(to.program.a, 7);
  EXPECT_EQ(to.behind, 9);
}

TEST(VersionedStruct, ANewerProgramGetsZeros) {
  Now from;
  from.b = 8;
  Later to;
  to.c = 9;
  write_struct(&from, sizes, &to, sizeof(Later));
  EXPECT_EQ(to.struct_size, sizeof(Later));
  EXPECT_EQ(to.b, 8);
  EXPECT_EQ(to.c, 0);
}

}  // namespace
}  // namespace fastnorm::c_api
