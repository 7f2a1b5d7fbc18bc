#include "tuner/budget.hpp"

#include <gtest/gtest.h>

#include <string>

namespace fastnorm::tuner {
namespace {

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

TEST(Ledger, SharesEvaluationsAndHandsOnWhatIsLeftOver) {
  Ledger ledger({Budget::Unit::evaluations, 30}, 3);
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

TEST(Ledger, ACaseMayTryOneEvenOfATinyBudget) {
  Ledger ledger({Budget::Unit::evaluations, 1}, 100);
  EXPECT_TRUE(ledger.next_case().may_try_another(0));
}

TEST(Ledger, TimeRunsOut) {
  Ledger ledger({Budget::Unit::seconds, 1e-9}, 1);
  EXPECT_TRUE(ledger.exhausted());
  const Ledger long_one({Budget::Unit::seconds, 1e6}, 1);
  EXPECT_FALSE(long_one.exhausted());
}

TEST(Allowance, OfTimeHasNoLimitOfEvaluations) {
  EXPECT_TRUE(Allowance::seconds(1e6).may_try_another(1000000));
  EXPECT_TRUE(Allowance::seconds(1e6).has_time());
  EXPECT_TRUE(Allowance::evaluations(1).has_time());
}

}  // namespace
}  // namespace fastnorm::tuner
