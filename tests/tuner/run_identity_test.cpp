// SPDX-License-Identifier: Apache-2.0
#include "tuner/run_identity.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fastnorm::tuner {
namespace {

std::string identity(const Budget& budget) { return run_identity(budget, {}, {}, {}); }

TEST(RunIdentity, BudgetsThatReadAlikeAreNotTheSame) {
  const struct {
    Budget one;
    Budget other;
  } alike[] = {{{Budget::Unit::seconds, 100.00001}, {Budget::Unit::seconds, 100.00002}},
               {{Budget::Unit::evaluations, 1000000}, {Budget::Unit::evaluations, 1000001}}};
  for (const auto& [one, other] : alike) {
    ASSERT_EQ(to_string(one), to_string(other));
    EXPECT_NE(identity(one), identity(other));
    EXPECT_EQ(identity(one), identity(one));
  }
}

TEST(RunIdentity, OneNumberOfTwoUnitsIsTwoBudgets) {
  EXPECT_NE(identity({Budget::Unit::seconds, 60}), identity({Budget::Unit::evaluations, 60}));
  EXPECT_NE(identity({Budget::Unit::seconds, 60}), identity(Budget::unlimited()));
}

}  // namespace
}  // namespace fastnorm::tuner
