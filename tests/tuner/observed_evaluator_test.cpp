// SPDX-License-Identifier: Apache-2.0
#include "tuner/observed_evaluator.hpp"

#include "tuner/listed_variant.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

namespace fastnorm::tuner {
namespace {

using namespace std::chrono_literals;

/// Each answer takes its time, and each timing is disturbed.
class SlowEvaluator final : public Evaluator {
 public:
  Status verify(const Contender&) override {
    take(2s);
    return {};
  }
  Status verify_in_place(const Contender&) override {
    take(3s);
    return {};
  }
  Result<std::vector<double>> time(const Contender&, const measure::SampleLimits&) override {
    take(5s);
    return std::vector<double>{1};
  }
  Disturbances disturbances() const override { return Disturbance::other_load; }
  Status health() override { return {}; }

  const RunClock& clock() const noexcept { return clock_; }

 private:
  void take(std::chrono::seconds time) {
    now_ += time;
    clock_.lap();
  }

  std::chrono::steady_clock::time_point now_;
  RunClock clock_{[this] { return now_; }};
};

TEST(ObservedEvaluator, PutsTimeDownToWhatItWasSpentOn) {
  const test::ListedVariant variant("steady", {1, 2});
  const Contender first{&variant, test::ListedVariant::config(0)};
  const Contender second{&variant, test::ListedVariant::config(1)};
  SlowEvaluator slow;
  TimeSpent spent;
  ObservedEvaluator evaluator(slow, slow.clock(), spent);
  EXPECT_TRUE(evaluator.verify(first).ok());
  EXPECT_TRUE(evaluator.time(first, {}).ok());
  EXPECT_TRUE(evaluator.time(second, {}).ok());
  EXPECT_EQ(spent.verifying, 2);
  EXPECT_EQ(spent.timing, 10);
  EXPECT_TRUE(evaluator.disturbed().empty()) << "only the final counts";

  evaluator.enter(SearchPhase::final_round);
  EXPECT_TRUE(evaluator.time(first, {}).ok());
  EXPECT_TRUE(evaluator.verify_in_place(first).ok());
  EXPECT_EQ(spent.verifying, 2);
  EXPECT_EQ(spent.timing, 10);
  EXPECT_EQ(spent.finals, 8);
  const DisturbedContenders expected = {{first.text(), Disturbance::other_load}};
  EXPECT_EQ(evaluator.disturbed(), expected);
}

}  // namespace
}  // namespace fastnorm::tuner
