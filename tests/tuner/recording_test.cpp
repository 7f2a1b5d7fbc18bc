// SPDX-License-Identifier: Apache-2.0
/// What a run has measured, as a file.
#include "tuner/recording.hpp"

#include "core/backend.hpp"
#include "support/shapes.hpp"
#include "tuner/fake_sites.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fastnorm::tuner {
namespace {

using test::FakeTarget;

Job a_job() {
  measure::Case workload;
  workload.name = "a_case";
  return {0, workload, Problem::create(test::group_norm_desc({2, 8, 16}, 4)).value()};
}

const std::string first = "steady number=0";
const std::string second = "other number=3";
const std::string third = "atomic number=1";

std::vector<JournalRecord> some_records() {
  using namespace std::chrono_literals;
  const TuningNumber here{0, 0};
  const Status wrong(StatusCode::device_error, "wrong result:\ty[0]");
  return {CaseBegun{here, 1ms, 47.5, 0, {second}},
          Verified{here, 1ms, first, Placement::beside, {}},
          Timed{here, 1ms, first, {3, 3, 0}, {}, {}, {100.00049, 101.5}},
          Timed{here, 1ms, first, {4, 8, 0.02}, {}, {}, {102}},
          Verified{here, 1ms, second, Placement::in_place, wrong},
          Timed{here, 1ms, third, {3, 3, 0}, {StatusCode::device_error, "no graph"}, {}, {}},
          Timed{{0, 1}, 1ms, first, {3, 3, 0}, {}, {}, {1}},
          WinnersStored{here}};
}

std::size_t place_of(const std::string& text, const RecordedSearch& search) {
  std::size_t place = 0;
  while (search.space.contenders[place].text() != text) ++place;
  return place;
}

TEST(Recording, HasWhatTheJournalSaysOfEachContender) {
  const FakeTarget target;
  const auto searches = recorded_searches(some_records(), {target.candidate}, {a_job()});
  ASSERT_TRUE(searches.ok()) << searches.status().message();
  ASSERT_EQ(searches.value().size(), 1u) << "the other case has not begun";
  const RecordedSearch& search = searches.value()[0];
  EXPECT_EQ(search.name, "a_case");
  EXPECT_EQ(search.copy_us, 47.5);
  ASSERT_EQ(search.trials.size(), search.space.contenders.size());
  EXPECT_EQ(search.space.contenders.size(), 3u) << "those that were tried";
  EXPECT_EQ(search.space.proposed, 1u) << "the default, and nothing that the database knew";
  EXPECT_EQ(search.space.contenders[search.space.default_index].text(), first);
  const auto trial = [&](const std::string& text) { return search.trials[place_of(text, search)]; };
  EXPECT_EQ(trial(first).samples_us, (std::vector<double>{100, 101.5, 102})) << "to the nanosecond";
  EXPECT_EQ(trial(first).failure, "");
  EXPECT_EQ(trial(second).failure, "wrong result:\ty[0]");
  EXPECT_EQ(trial(third).failure, "no graph");
}

/// Of contenders that a build has in any case.
class RecordingText : public ::testing::Test {
 protected:
  void SetUp() override {
    const Backend* backend = nullptr;
    const DeviceInfo* device = nullptr;
    for (const Backend* one : backends()) {
      const Result<const DeviceInfo*> found = one->device(-1);
      if (!found.ok()) continue;
      backend = one;
      device = found.value();
    }
    if (backend == nullptr) GTEST_SKIP() << "no back end of this build has a device";
    RecordedSearch search;
    search.name = "a_case";
    search.problem = "group_norm 2x8x16 groups=4 f32";
    search.backend = backend->name();
    search.device = "A device";
    search.copy_us = 12.5;
    search.space = make_search_space(a_job().problem, {backend, device}, {}).value();
    for (std::size_t i = 0; i < search.space.contenders.size(); ++i) {
      search.trials.push_back({i % 3 == 1 ? "wrong" : "", {1.5 + static_cast<double>(i), 2.125}});
    }
    searches_ = {search, search};
    searches_[1].name = "another";
    searches_[1].trials.back() = {};
  }

  std::string error_of(const std::string& text) const {
    return parse_recording(text, "a.rec").status().message();
  }

  std::vector<RecordedSearch> searches_;
};

TEST_F(RecordingText, IsReadBack) {
  const std::string text = to_text(searches_);
  const auto read = parse_recording(text, "a.rec");
  ASSERT_TRUE(read.ok()) << read.status().message();
  ASSERT_EQ(read.value().size(), 2u);
  EXPECT_EQ(to_text(read.value()), text);
  EXPECT_EQ(read.value()[1].space.contenders.size(), searches_[1].space.contenders.size());
  EXPECT_EQ(read.value()[0].trials[1].failure, "wrong");
}

TEST_F(RecordingText, WhatIsNoneIsRefusedWithItsLine) {
  EXPECT_EQ(error_of(""), "a.rec:0: is empty");
  EXPECT_EQ(error_of("something\n"), "a.rec:1: is not how a recording begins");
  const std::string begin = "fastnorm recording 1\n";
  EXPECT_EQ(error_of(begin + "rows x=1\t1\t\n"), "a.rec:2: no case has begun");
  EXPECT_EQ(error_of(begin + "case\tname\n"), "a.rec:2: a case has 9 fields");
  std::string text = to_text(searches_);
  text.pop_back();
  EXPECT_NE(error_of(text).find("the line does not end"), std::string::npos);
  text.erase(text.find("case\tanother"));
  EXPECT_EQ(error_of(text), "");
  text.erase(text.find('\n', begin.size()) + 1);
  EXPECT_EQ(error_of(text), "a.rec:2: case a_case is not whole");
  const std::string huge = "\x1b" + std::string(10'000, 'x');
  const std::string shown = "\\x1b" + std::string(56, 'x') + "...";
  EXPECT_EQ(error_of(begin + "case\ta\tp\t" + huge + "\td\t1\t0\t0\t0\n"),
            "a.rec:2: this build has no back end " + shown);
  text = to_text(searches_);
  const std::size_t line = text.find('\n', begin.size()) + 1;
  EXPECT_EQ(error_of(text.substr(0, line) + huge + "\t1\t\n")
                .rfind("a.rec:3: \"" + shown + "\" names no strategy of ", 0),
            0U);
}

}  // namespace
}  // namespace fastnorm::tuner
