// SPDX-License-Identifier: Apache-2.0
#include "tuner/text_table.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace fastnorm::tuner
