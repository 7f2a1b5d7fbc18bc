// SPDX-License-Identifier: Apache-2.0
#include "core/quoted.hpp"

#include "core/utf8.hpp"

#include <gtest/gtest.h>

#include <string>

namespace fastnorm {
namespace {

TEST(Quoted, OrdinaryTextStaysAsItIs) {
  EXPECT_EQ(in_quotes("group_norm 2x8"), "\"group_norm 2x8\"");
  EXPECT_EQ(escaped("Gr\xc3\xb6\xc3\x9f"
                    "e \xe2\x82\xac \xf0\x9f\x98\x80"),
            "Gr\xc3\xb6\xc3\x9f"
            "e \xe2\x82\xac \xf0\x9f\x98\x80");
  EXPECT_EQ(escaped(""), "");
}

TEST(Quoted, ControlCharactersAreEscaped) {
  EXPECT_EQ(escaped("a\nb\tc\rd\x1b[2J\x7f"), "a\\nb\\tc\\rd\\x1b[2J\\x7f");
  EXPECT_EQ(escaped(std::string("\0", 1)), "\\x00");
  EXPECT_EQ(escaped("\xc2\x9b"
                    "2J\xc2\xa0"),
            "\\u009b2J\xc2\xa0")
      << "CSI, and a space";
}

TEST(Quoted, WhatIsNotUtf8IsEscaped) {
  EXPECT_EQ(escaped("\xff\x80z"), "\\xff\\x80z");
  EXPECT_EQ(escaped("a\xc3"), "a\\xc3");
  EXPECT_EQ(escaped("\xe2\x82"), "\\xe2\\x82");
}

TEST(Quoted, EscapingTwiceIsEscapingOnce) {
  const std::string once = escaped("a\nb\x1b\\n");
  EXPECT_EQ(escaped(once), once);
}

TEST(Quoted, WhatIsLongIsCut) {
  const std::string fits(longest_value, 'x');
  EXPECT_EQ(shortened(fits), fits);
  EXPECT_EQ(shortened(fits + "y"), fits + "...");
  EXPECT_EQ(in_quotes(std::string(3'000'000, 'x')), "\"" + fits + "...\"");
}

TEST(Quoted, TheCutIsBetweenCharacters) {
  EXPECT_EQ(shortened("\xc3\xa4\xc3\xb6\xc3\xbc", 3), "\xc3\xa4\xc3\xb6\xc3\xbc");
  EXPECT_EQ(shortened("\xc3\xa4\xc3\xb6\xc3\xbc", 2), "\xc3\xa4\xc3\xb6...");
  EXPECT_EQ(shortened("ab\x1b", 5), "ab...") << "no half of an escape";
}

TEST(Utf8, CharactersAreCountedNotBytes) {
  EXPECT_EQ(count_code_points("a\xc3\xb6\xe2\x82\xac\xf0\x9f\x98\x80"), 4U);
  EXPECT_EQ(count_code_points("\xff\xc3"), 2U);
  EXPECT_EQ(count_code_points(""), 0U);
}

TEST(Utf8, TheFrontHasWholeCharacters) {
  EXPECT_EQ(leading_code_points("a\xc3\xb6\xe2\x82\xac"
                                "b",
                                3),
            "a\xc3\xb6\xe2\x82\xac");
  EXPECT_EQ(leading_code_points("\xff\xc3", 1), "\xff");
  EXPECT_EQ(leading_code_points("ab", 0), "");
  EXPECT_EQ(leading_code_points("ab", 9), "ab");
}

}  // namespace
}  // namespace fastnorm
