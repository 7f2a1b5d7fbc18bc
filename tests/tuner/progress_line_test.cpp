// SPDX-License-Identifier: Apache-2.0
#include "tuner/progress_line.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace fastnorm::tuner {
namespace {

constexpr std::size_t wide = 200;

RunProgress halfway() { return {4, 1, "kb1_35", {SearchPhase::trials, 150, 300, 80, 100}, 192}; }

TEST(ProgressLine, HasBarCaseBestSoFarAndTimeLeft) {
  EXPECT_EQ(progress_line(halfway(), wide),
            "[#######.............] 35% 2/4 kb1_35: 150 of 300 tried, best 80.0 us (1.25x the "
            "default), about 3m12s left");
}

TEST(ProgressLine, SaysWhatIsKnown) {
  RunProgress progress = halfway();
  progress.search.default_us = 0;
  progress.seconds_left = std::numeric_limits<double>::infinity();
  EXPECT_EQ(progress_line(progress, wide),
            "[#######.............] 35% 2/4 kb1_35: 150 of 300 tried, best 80.0 us");
  progress.search.best_us = 0;
  EXPECT_EQ(progress_line(progress, wide),
            "[#######.............] 35% 2/4 kb1_35: 150 of 300 tried");
  progress.search = {};
  EXPECT_EQ(progress_line(progress, wide), "[#####...............] 25% 2/4 kb1_35: loading");
}

TEST(ProgressLine, TheFinalIsSaidToBeOne) {
  RunProgress progress = halfway();
  progress.search.phase = SearchPhase::final_round;
  EXPECT_EQ(progress_line(progress, wide),
            "[#########...........] 45% 2/4 kb1_35: final, best 80.0 us (1.25x the default), about "
            "3m12s left");
}

TEST(ProgressLine, TheFinalIsLeftWhenAllIsTried) {
  const RunProgress last{1, 0, "a", {SearchPhase::trials, 300, 300, 0, 0}, 2};
  EXPECT_EQ(progress_line(last, wide),
            "[################....] 80% 1/1 a: 300 of 300 tried, about 2.0s left");
}

// What wraps cannot be written over.
TEST(ProgressLine, KeepsWithinTheTerminal) {
  const RunProgress progress = halfway();
  const std::string whole = progress_line(progress, wide);
  EXPECT_EQ(progress_line(progress, whole.size()), whole);
  const std::string without_bar = progress_line(progress, whole.size() - 1);
  EXPECT_EQ("[#######.............] " + without_bar, whole);
  EXPECT_EQ(progress_line(progress, 20), "35% 2/4 kb1_35: 150 ");
  EXPECT_EQ(progress_line(progress, 0), "");
  RunProgress accents = progress;
  accents.name = "\xC3\xA9\xC3\xA9\xC3\xA9";
  EXPECT_EQ(progress_line(accents, 10), "35% 2/4 \xC3\xA9\xC3\xA9") << "whole letters";
}

TEST(DurationText, IsShort) {
  EXPECT_EQ(duration_text(0.31), "0.3s");
  EXPECT_EQ(duration_text(9.96), "10s");
  EXPECT_EQ(duration_text(59.4), "59s");
  EXPECT_EQ(duration_text(59.6), "1m00s");
  EXPECT_EQ(duration_text(275), "4m35s");
}

}  // namespace
}  // namespace fastnorm::tuner
