// SPDX-License-Identifier: Apache-2.0
#include "tuner/progress_line.hpp"

#include <gtest/gtest.h>

#include <chrono>
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

// A guided search ends long before it has tried the whole space.
TEST(ShareDone, IsThatOfTheAllowanceWhereThatIsTheLarger) {
  SearchProgress search{SearchPhase::trials, 12, 240, 80, 100, 0.75};
  EXPECT_EQ(share_done(search), 0.75);
  const RunProgress run{1, 0, "a", search, 2};
  EXPECT_EQ(progress_line(run, wide),
            "[###############.....] 75% 1/1 a: 12 of 240 tried, best 80.0 us (1.25x the default), "
            "about 2.0s left");
  search.evaluated = 240;
  EXPECT_EQ(share_done(search), search_share) << "that of the space is the larger";
}

TEST(ShareDone, NeverGoesBack) {
  SearchProgress search{SearchPhase::trials, 12, 240, 80, 100, 0.95};
  EXPECT_EQ(share_done(search), 0.95) << "the last trial took long";
  search.phase = SearchPhase::final_round;
  EXPECT_EQ(share_done(search), 0.95);
  search.share_of_allowance = 0.1;
  EXPECT_EQ(share_done(search), search_share) << "the trials came to their end";
}

// The time left follows from the share.
TEST(ShareDone, AgreesWithTheTimeLeftOfABudget) {
  RunClock clock;
  Ledger ledger({Budget::Unit::seconds, 8}, 1, clock);
  const Allowance allowance = ledger.next_case();
  clock.repeat(std::chrono::seconds(6));
  const SearchProgress search{SearchPhase::trials, 12, 240, 80, 100, allowance.share_used(12)};
  EXPECT_EQ(share_done(search), 0.75);
  EXPECT_NEAR(ledger.estimated_seconds_left(share_done(search)), 2, 1e-9);
}

// What wraps cannot be written over.
TEST(ProgressLine, KeepsWithinTheTerminal) {
  RunProgress progress = halfway();
  for (const char* name :
       {"", "a", "kb1_35", "group_norm_4x320x64x64_g32_f32_nchw", "\n\n\n\n\n"}) {
    progress.name = name;
    for (std::size_t columns = 0; columns < wide; ++columns) {
      EXPECT_LE(progress_line(progress, columns).size(), columns) << name;
    }
  }
}

TEST(ProgressLine, KeepsLettersWhole) {
  RunProgress progress = halfway();
  progress.name = "\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9";
  EXPECT_EQ(progress_line(progress, 44), "35% 2/4 \xC3\xA9...: best 80.0 us, about 3m12s left");
}

/// At all widths from the first to the second.
void expect_line(const RunProgress& progress, std::size_t widest, std::size_t narrowest,
                 const std::string& line) {
  for (std::size_t columns = narrowest; columns <= widest; ++columns) {
    EXPECT_EQ(progress_line(progress, columns), line) << columns;
  }
}

TEST(ProgressLine, LeavesTheLeastImportantOutFirst) {
  const RunProgress progress = halfway();
  const auto expect = [&](std::size_t widest, const std::string& line) {
    expect_line(progress, widest, line.size(), line);
    return line.size() - 1;
  };
  std::size_t columns = wide;
  columns = expect(columns,
                   "[#######.............] 35% 2/4 kb1_35: 150 of 300 tried, best 80.0 us (1.25x "
                   "the default), about 3m12s left");
  columns = expect(columns,
                   "35% 2/4 kb1_35: 150 of 300 tried, best 80.0 us (1.25x the default), about "
                   "3m12s left");
  columns = expect(columns, "35% 2/4 kb1_35: best 80.0 us (1.25x the default), about 3m12s left");
  columns = expect(columns, "35% 2/4 kb1_35: best 80.0 us (1.25x), about 3m12s left");
  columns = expect(columns, "35% 2/4 kb1_35: best 80.0 us, about 3m12s left");
  columns = expect(columns, "35% 2/4 kb...: best 80.0 us, about 3m12s left");
  columns = expect(columns, "35% 2/4 k...: best 80.0 us, about 3m12s left");
  columns = expect(columns, "35% 2/4: best 80.0 us, about 3m12s left");
  EXPECT_EQ(progress_line(progress, columns), "35% 2/4: best 80.0 us, about 3m12s lef");
}

TEST(ProgressLine, EightyColumnsHaveRoomForTheBestAndTheTimeLeft) {
  constexpr std::size_t columns = 79;  // The last one is left free.
  RunProgress progress{
      1, 0, "host_gn_c320_64_n2", {SearchPhase::trials, 8, 248, 871.6, 1621.2}, 75};
  EXPECT_EQ(progress_line(progress, columns),
            "2% 1/1 host_gn_c320_64_n2: best 871.6 us (1.86x the default), about 1m15s left");
  progress.name = "group_norm_4x320x64x64_g32_f32_nchw_and_more";
  EXPECT_EQ(progress_line(progress, columns),
            "2% 1/1 group_norm_4x320x64x64_g32_f32_nchw_...: best 871.6 us, about 1m15s left");
}

TEST(ProgressLine, TheStateOutlastsTheCounts) {
  RunProgress progress = halfway();
  progress.search.phase = SearchPhase::final_round;
  EXPECT_EQ(progress_line(progress, 60), "45% 2/4 kb1_35: final, best 80.0 us, about 3m12s left");
  progress.search = {SearchPhase::trials, 1, 300, 0, 0};
  EXPECT_EQ(progress_line(progress, 40), "25% 2/4 kb1_35: about 3m12s left");
  progress.seconds_left = std::numeric_limits<double>::infinity();
  EXPECT_EQ(progress_line(progress, 20), "25% 2/4 kb1_35");
  progress.search = {};
  EXPECT_EQ(progress_line(progress, 24), "25% 2/4 kb1_35: loading");
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
