// SPDX-License-Identifier: Apache-2.0
#include "tuner/checksum.hpp"

#include <gtest/gtest.h>

namespace fastnorm::tuner {
namespace {

TEST(Checksum, IsThatOfZlib) {
  EXPECT_EQ(crc32("123456789"), 0xCBF43926U);  // the check value of the CRC catalogue
  EXPECT_EQ(crc32(""), 0U);
  EXPECT_EQ(crc32_text("123456789"), "cbf43926");
  EXPECT_EQ(crc32_text(""), "00000000");
}

}  // namespace
}  // namespace fastnorm::tuner
