// SPDX-License-Identifier: Apache-2.0
#include "core/disturbances.hpp"

#include <gtest/gtest.h>

#include <string>

namespace fastnorm {
namespace {

TEST(Disturbances, AreWordsInOneOrder) {
  Disturbances two = Disturbance::scatter;
  two |= Disturbance::power_brake;
  EXPECT_EQ(to_string(two), "power_brake scatter");
  EXPECT_EQ(to_string(Disturbances()), "");
  for (const char* text : {"", "scatter", "power_brake scatter",
                           "thermal_slowdown power_brake hardware_slowdown low_clock other_load "
                           "scatter"}) {
    const std::optional<Disturbances> parsed = parse_disturbances(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(to_string(*parsed), text);
  }
  for (const char* text : {"noise", "scatter power_brake", "scatter scatter", "scatter ",
                           " scatter", "power_brake  scatter", "power_brakescatter"}) {
    EXPECT_FALSE(parse_disturbances(text)) << "\"" << text << "\"";
  }
}

}  // namespace
}  // namespace fastnorm
