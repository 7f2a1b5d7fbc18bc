// SPDX-License-Identifier: Apache-2.0
#include "tuner/text_table.hpp"

#include <gtest/gtest.h>

#include <string>

namespace fastnorm::tuner {
namespace {

TEST(TextTable, ColumnsAreAsWideAsTheirWidestCell) {
  EXPECT_EQ(text_table({{"op"}, {"us", Align::right}, {"strategy"}},
                       {{"group_norm", "3.5", "rows"}, {"x", "12345.6", ""}}),
            "op               us  strategy\n"
            "group_norm      3.5  rows\n"
            "x           12345.6\n");
}

TEST(TextTable, WithoutRowsThereAreTheTitles) {
  EXPECT_EQ(text_table({{"a"}, {"b", Align::right}}, {}), "a  b\n");
}

TEST(TextTable, WidthsAreThoseOfCharactersNotOfBytes) {
  EXPECT_EQ(text_table({{"device"}, {"us", Align::right}}, {{"Gr\xc3\xb6\xc3\x9f"
                                                             "e",
                                                             "1"},
                                                            {"plain", "2"},
                                                            {"z", "\xc3\xbc"}}),
            "device  us\n"
            "Gr\xc3\xb6\xc3\x9f"
            "e    1\n"
            "plain    2\n"
            "z        \xc3\xbc\n");
}

TEST(TextTable, ACellIsAPieceOfALineWhateverItQuotes) {
  EXPECT_EQ(text_table({{"a"}, {"b"}}, {{"x\n\x1b[2J", "y"}, {"z", "y"}}),
            "a           b\n"
            "x\\n\\x1b[2J  y\n"
            "z           y\n");
  const std::string huge = text_table({{"a"}, {"b"}}, {{std::string(100'000, 'x'), "y"}});
  EXPECT_LT(huge.size(), 1000U);
}

}  // namespace
}  // namespace fastnorm::tuner
