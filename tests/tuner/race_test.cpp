// SPDX-License-Identifier: Apache-2.0
/// Comparisons of samples, and the race that is decided by them.
#include "tuner/race.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

namespace fastnorm::tuner {
namespace {

using Samples = std::vector<double>;

const Samples leader = {100, 101, 100.5, 99.5, 102, 100, 100.2};

TEST(ClearLoser, IsSlowerEachTimeThanAllButOneOfTheLeaders) {
  EXPECT_TRUE(is_clear_loser({101.9, 103, 104}, leader));
  EXPECT_FALSE(is_clear_loser({100.9, 103, 104}, leader)) << "once as fast as two of the leader's";
}

TEST(ClearLoser, IsFartherFromTheLeaderThanClocksDrift) {
  EXPECT_FALSE(is_clear_loser({100.8, 100.8, 100.8}, Samples(7, 100)));
  EXPECT_TRUE(is_clear_loser({101.2, 101.2, 101.2}, Samples(7, 100)));
}

TEST(Faster, IsAMatterOfTheScatter) {
  const Samples fast = {97, 98, 99, 98, 97, 99, 98, 97, 99};
  const Samples slow = {99, 100, 101, 100, 99, 101, 100, 99, 101};
  EXPECT_TRUE(is_faster(fast, slow, Confidence::usual));
  EXPECT_FALSE(is_faster(slow, fast, Confidence::usual));
  // Three standard errors of the difference are 2.6 here, two 1.8.
  EXPECT_FALSE(is_faster(fast, slow, Confidence::high));
}

TEST(Faster, ABurstOfOtherLoadDoesNotCount) {
  Samples slow(9, 100.0);
  Samples fast(9, 99.0);
  fast[2] = fast[5] = 500;
  EXPECT_TRUE(is_faster(fast, slow, Confidence::high));
}

TEST(Faster, NothingIsByLessThanAClockTells) {
  EXPECT_FALSE(is_faster(Samples(9, 99.95), Samples(9, 100), Confidence::usual));
}

/// Racers whose true times a test decides.
class RaceTest : public ::testing::Test {
 protected:
  Status run(const Samples& true_us, std::uint64_t seed = 1) {
    for (std::size_t i = 0; i < true_us.size(); ++i) racers_.push_back({i, true, {}});
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> noise(0.99, 1.01);
    RaceTrack track;
    track.go_on = [this](std::size_t rounds) { return rounds < most_rounds_; };
    track.time = [&](std::size_t index) -> Result<Samples> {
      order_.push_back(index);
      if (index == failing_) return Status(StatusCode::device_error, "is gone");
      Samples samples;
      for (int i = 0; i < 3; ++i) samples.push_back(true_us[index] * noise(random));
      return samples;
    };
    track.fail = [this](std::size_t, const Status& why) { return fails_alone_ ? Status() : why; };
    return race(racers_, track, seed);
  }

  std::vector<Racer> racers_;
  std::vector<std::size_t> order_;  ///< Who was timed.
  std::size_t most_rounds_ = 1000;
  std::size_t failing_ = 1000;
  bool fails_alone_ = false;
};

TEST_F(RaceTest, LosersDropOutAfterTheThirdRoundAndItEnds) {
  ASSERT_TRUE(run({100, 110, 120}).ok());
  EXPECT_FALSE(racers_[0].out);
  EXPECT_TRUE(racers_[1].out);
  EXPECT_TRUE(racers_[2].out);
  EXPECT_EQ(order_.size(), 9u);
}

TEST_F(RaceTest, CloseOnesAreMeasuredMoreOftenThanLosers) {
  ASSERT_TRUE(run({100, 100, 120}).ok());
  EXPECT_EQ(racers_[2].samples.size(), 9u);
  EXPECT_GT(racers_[0].samples.size(), 30u);
  EXPECT_GT(racers_[1].samples.size(), 30u);
}

TEST_F(RaceTest, RoundsHaveRandomOrdersThatTheSeedDecides) {
  ASSERT_TRUE(run(Samples(5, 100)).ok());
  std::set<std::vector<std::size_t>> orders;
  for (std::size_t i = 0; i + 5 <= order_.size(); i += 5) {
    const auto first = order_.begin() + static_cast<std::ptrdiff_t>(i);
    const std::vector<std::size_t> round(first, first + 5);
    EXPECT_EQ(std::set<std::size_t>(round.begin(), round.end()).size(), 5u) << "each once";
    orders.insert(round);
  }
  EXPECT_GT(orders.size(), 8u);
  const std::vector<std::size_t> first_time = order_;
  racers_.clear();
  order_.clear();
  ASSERT_TRUE(run(Samples(5, 100)).ok());
  EXPECT_EQ(order_, first_time);
}

TEST_F(RaceTest, WithoutTimeThereAreThreeRounds) {
  most_rounds_ = 0;
  ASSERT_TRUE(run({100, 100}).ok());
  EXPECT_EQ(order_.size(), 6u);
}

TEST_F(RaceTest, WhatRepeatsDoesNotLoseToWhatDoesNot) {
  racers_.push_back({0, false, {}});
  racers_.push_back({1, true, {}});
  racers_.push_back({2, true, {}});
  RaceTrack track;
  track.go_on = [](std::size_t) { return true; };
  track.time = [](std::size_t index) -> Result<Samples> {
    return Samples(3, index == 0 ? 50.0 : index == 1 ? 80.0 : 90.0);
  };
  ASSERT_TRUE(race(racers_, track, 1).ok());
  EXPECT_FALSE(racers_[1].out);
  EXPECT_TRUE(racers_[2].out);
}

TEST_F(RaceTest, OneThatFailsIsOutAndTheOthersGoOn) {
  failing_ = 1;
  fails_alone_ = true;
  ASSERT_TRUE(run({100, 50, 100}).ok());
  EXPECT_TRUE(racers_[1].out);
  EXPECT_EQ(std::count(order_.begin(), order_.end(), 1u), 1);
  EXPECT_GT(racers_[0].samples.size(), 9u);
  EXPECT_GT(racers_[2].samples.size(), 9u);
}

TEST_F(RaceTest, AFailureThatConcernsAllEndsIt) {
  failing_ = 1;
  const Status status = run({100, 100});
  EXPECT_EQ(status.message(), "is gone");
}

}  // namespace
}  // namespace fastnorm::tuner
