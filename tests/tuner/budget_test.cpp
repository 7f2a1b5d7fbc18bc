// SPDX-License-Identifier: Apache-2.0
#include "tuner/budget.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace fastnorm::tuner {
namespace {

using namespace std::chrono_literals;

TEST(Budget, TimesAndEvaluationsAreRead) {
  const auto seconds = [](const char* text) {
    const Result<Budget> budget = parse_budget(text);
    EXPECT_TRUE(budget.ok()) << text;
    EXPECT_EQ(budget.value().unit, Budget::Unit::seconds) << text;
    return budget.value().amount;
  };
  EXPECT_EQ(seconds("60s"), 60);
  EXPECT_EQ(seconds("2m"), 120);
  EXPECT_EQ(seconds("1.5h"), 5400);
  EXPECT_EQ(seconds("0.5s"), 0.5);
  const Result<Budget> count = parse_budget("200");
  ASSERT_TRUE(count.ok());
  EXPECT_EQ(count.value().unit, Budget::Unit::evaluations);
  EXPECT_EQ(count.value().amount, 200);
  EXPECT_EQ(to_string(count.value()), "200 evaluations");
  EXPECT_EQ(to_string(parse_budget("1").value()), "1 evaluation");
}

TEST(Budget, AnythingElseIsRefusedWithWhatIsAllowed) {
  for (const char* text : {"", "s", "-1s", "0", "0s", "60x", "60 s", "1e999s", "nan", "inf", "2.5",
                           "1m30s", "99999999999"}) {
    const Result<Budget> budget = parse_budget(text);
    ASSERT_FALSE(budget.ok()) << text;
    const std::string message = budget.status().message();
    EXPECT_NE(message.find("\"" + std::string(text) + "\""), std::string::npos) << message;
    EXPECT_NE(message.find("60s"), std::string::npos) << message;
  }
}

TEST(RunClock, MovesWithLapsAndRepetitionsOnly) {
  std::chrono::steady_clock::time_point now;
  RunClock clock([&now] { return now; });
  now += 5s;
  EXPECT_EQ(clock.spent(), 0s);
  EXPECT_EQ(clock.lap(), 5s);
  now += 7s;
  clock.repeat(2s);
  EXPECT_EQ(clock.spent(), 7s) << "what was repeated, not what that took";
  now += 11s;
  clock.skip();
  now += 1s;
  EXPECT_EQ(clock.lap(), 1s);
  EXPECT_EQ(clock.spent_seconds(), 8);
}

class LedgerTest : public ::testing::Test {
 protected:
  RunClock clock_;
};

TEST_F(LedgerTest, SharesEvaluationsAndHandsOnWhatIsLeftOver) {
  Ledger ledger({Budget::Unit::evaluations, 30}, 3, clock_);
  const Allowance first = ledger.next_case();
  EXPECT_TRUE(first.may_try_another(9));
  EXPECT_FALSE(first.may_try_another(10));
  ledger.spend(4);
  const Allowance second = ledger.next_case();
  EXPECT_TRUE(second.may_try_another(12));
  EXPECT_FALSE(second.may_try_another(13));
  ledger.spend(13);
  const Allowance third = ledger.next_case();
  EXPECT_TRUE(third.may_try_another(12));
  EXPECT_FALSE(third.may_try_another(13));
  EXPECT_FALSE(ledger.exhausted());
  ledger.spend(13);
  EXPECT_TRUE(ledger.exhausted());
}

TEST_F(LedgerTest, WithoutALimitNothingEnds) {
  Ledger ledger(Budget::unlimited(), 2, clock_);
  for (int number = 0; number < 3; ++number) {
    EXPECT_FALSE(ledger.exhausted());
    const Allowance allowance = ledger.next_case();
    EXPECT_TRUE(allowance.may_try_another(1000000));
    EXPECT_TRUE(allowance.has_time());
    ledger.spend(1000000);
  }
  EXPECT_EQ(to_string(Budget::unlimited()), "unlimited");
}

TEST_F(LedgerTest, ACaseMayTryOneEvenOfATinyBudget) {
  Ledger ledger({Budget::Unit::evaluations, 1}, 100, clock_);
  EXPECT_TRUE(ledger.next_case().may_try_another(0));
}

TEST_F(LedgerTest, SharesTimeAndHandsOnWhatIsLeftOver) {
  Ledger ledger({Budget::Unit::seconds, 30}, 3, clock_);
  const Allowance first = ledger.next_case();
  clock_.repeat(7s);
  EXPECT_TRUE(first.may_try_another(1000000));
  clock_.repeat(2s);
  EXPECT_FALSE(first.may_try_another(0)) << "the rest is for the finalists";
  EXPECT_TRUE(first.has_time());
  clock_.repeat(1s);
  EXPECT_FALSE(first.has_time());
  clock_.repeat(2s);
  const Allowance second = ledger.next_case();  // 9 of 18 s
  clock_.repeat(8s);
  EXPECT_TRUE(second.has_time());
  EXPECT_FALSE(ledger.exhausted());
  clock_.repeat(10s);
  EXPECT_TRUE(ledger.exhausted());
}

TEST_F(LedgerTest, DevicesSideBySideHaveTheWholeTimeEach) {
  const Ledger whole({Budget::Unit::seconds, 30}, 5, clock_);
  RunClock other_clock;
  Ledger one(whole, 2, clock_);
  Ledger other(whole, 2, other_clock);
  const Allowance first = one.next_case();  // 5 cases are 3 rounds of 2 devices.
  clock_.repeat(9s);
  EXPECT_TRUE(first.has_time());
  clock_.repeat(1s);
  EXPECT_FALSE(first.has_time());
  const Allowance beside = other.next_case();  // 4 cases are 2 rounds.
  other_clock.repeat(14s);
  EXPECT_TRUE(beside.has_time());
  other_clock.repeat(1s);
  EXPECT_FALSE(beside.has_time());
  const Allowance next = one.next_case();  // 3 cases are 2 rounds: 10 of the 20 s that are left.
  clock_.repeat(9s);
  EXPECT_TRUE(next.has_time());
  clock_.repeat(1s);
  EXPECT_FALSE(next.has_time());
  EXPECT_FALSE(one.exhausted());
  other_clock.repeat(15s);
  EXPECT_TRUE(other.exhausted());
}

TEST_F(LedgerTest, DevicesSideBySideShareEvaluations) {
  const Ledger whole({Budget::Unit::evaluations, 30}, 3, clock_);
  Ledger one(whole, 2, clock_);
  Ledger other(whole, 2, clock_);
  EXPECT_FALSE(one.next_case().may_try_another(10));
  EXPECT_TRUE(other.next_case().may_try_another(9)) << "what the first has is not its";
  one.spend(4);
  EXPECT_FALSE(one.next_case().may_try_another(16));
  EXPECT_FALSE(one.exhausted());
  one.spend(16);
  EXPECT_TRUE(one.exhausted()) << "10 are under way";
}

TEST_F(LedgerTest, ACaseThatIsHandedOnIsOneToCome) {
  const Ledger whole({Budget::Unit::evaluations, 30}, 3, clock_);
  Ledger one(whole, 2, clock_);
  Ledger other(whole, 2, clock_);
  EXPECT_FALSE(one.next_case().may_try_another(10));
  one.hand_on_case();
  EXPECT_FALSE(other.next_case().may_try_another(10));
  EXPECT_TRUE(other.next_case().may_try_another(9));
}

TEST(Allowance, OfEvaluationsHasNoLimitOfTime) {
  EXPECT_TRUE(Allowance::evaluations(1).has_time());
}

TEST(Allowance, OfTimeIsUsedAsTheClockMoves) {
  RunClock clock;
  clock.repeat(100s);
  const Allowance allowance = Allowance::seconds(8, clock);
  EXPECT_EQ(allowance.share_used(50), 0);
  clock.repeat(2s);
  EXPECT_EQ(allowance.share_used(0), 0.25);
  clock.repeat(20s);
  EXPECT_EQ(allowance.share_used(0), 1) << "however long the last candidate took";
}

TEST(Allowance, OfEvaluationsIsForTrialsAndLeavesTheFinal) {
  const Allowance allowance = Allowance::evaluations(20);
  EXPECT_EQ(allowance.share_used(0), 0);
  EXPECT_EQ(allowance.share_used(5), 0.25 * search_share);
  EXPECT_EQ(allowance.share_used(20), search_share);
  EXPECT_EQ(allowance.share_used(21), search_share) << "the defaults are always tried";
}

TEST(Allowance, WithoutALimitNothingOfItIsUsed) {
  EXPECT_EQ(Allowance::unlimited().share_used(1000), 0);
}

}  // namespace
}  // namespace fastnorm::tuner
