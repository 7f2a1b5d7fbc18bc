// SPDX-License-Identifier: Apache-2.0
#include "tuner/journal_record.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fastnorm::tuner {
namespace {

using namespace std::chrono_literals;

constexpr const char* contender = "split_atomic threads=256,vec_width=4";

std::vector<JournalRecord> samples() {
  Disturbances disturbed = Disturbance::thermal_slowdown;
  disturbed |= Disturbance::other_load;
  return {RunBegun{"2026-12-01", "fastnorm 0.1.0\nseed 1"},
          CaseBegun{{0, 3}, 1500us, 35.25, 0.125, {contender, "block_row threads=128"}},
          CaseBegun{{1, 0}, 0us, 1e-300, 0, {}},
          Verified{{0, 3}, 12us, contender, Placement::beside, {}},
          Verified{{0, 3},
                   12us,
                   contender,
                   Placement::in_place,
                   {StatusCode::device_error, "wrong:\ty[3]\nis \\ \xC3\xA9"}},
          Timed{{0, 3}, 99us, contender, {3, 8, 0.02}, {}, disturbed, {1.0 / 3, 40.125, 1e9}},
          Timed{{0, 3}, 99us, contender, {3, 3, 0}, {StatusCode::unsupported, ""}, {}, {}},
          WinnersStored{{0, 3}}};
}

std::string_view without_newline(const std::string& line) {
  return std::string_view(line).substr(0, line.size() - 1);
}

TEST(JournalRecord, IsReadBackAsItWas) {
  for (const JournalRecord& record : samples()) {
    const std::string line = to_line(record);
    EXPECT_EQ(line.find('\n'), line.size() - 1) << line;
    const std::optional<JournalRecord> read = parse_line(without_newline(line));
    ASSERT_TRUE(read) << line;
    EXPECT_EQ(read->index(), record.index());
    EXPECT_EQ(to_line(*read), line);
  }
}

TEST(JournalRecord, KeepsNumbersExactlyAndTextAsItIs) {
  const auto timed = parse_line(without_newline(to_line(samples()[5])));
  EXPECT_EQ(std::get<Timed>(*timed).samples_us, (std::vector<double>{1.0 / 3, 40.125, 1e9}));
  EXPECT_EQ(std::get<Timed>(*timed).limits.seconds, 0.02);
  EXPECT_EQ(std::get<Timed>(*timed).took, 99us);
  const auto verified = parse_line(without_newline(to_line(samples()[4])));
  EXPECT_EQ(std::get<Verified>(*verified).status.message(), "wrong:\ty[3]\nis \\ \xC3\xA9");
  EXPECT_EQ(std::get<Verified>(*verified).status.code(), StatusCode::device_error);
  EXPECT_EQ(std::get<Verified>(*verified).placement, Placement::in_place);
  const auto begun = parse_line(without_newline(to_line(samples()[1])));
  EXPECT_EQ(std::get<CaseBegun>(*begun).known,
            (std::vector<std::string>{contender, "block_row threads=128"}));
}

TEST(JournalRecord, ATornLineIsNone) {
  for (const JournalRecord& record : samples()) {
    const std::string line = to_line(record);
    for (std::size_t size = 0; size + 1 < line.size(); ++size) {
      EXPECT_FALSE(parse_line(std::string_view(line).substr(0, size))) << line << size;
    }
  }
}

TEST(JournalRecord, ADamagedLineIsNone) {
  for (const JournalRecord& record : samples()) {
    const std::string line = to_line(record);
    for (std::size_t i = 0; i + 1 < line.size(); ++i) {
      std::string damaged(without_newline(line));
      damaged[i] = static_cast<char>(damaged[i] ^ 1);
      EXPECT_FALSE(parse_line(damaged)) << damaged;
    }
  }
  EXPECT_FALSE(parse_line(std::string(4096, '\0'))) << "what a power failure may leave";
}

}  // namespace
}  // namespace fastnorm::tuner
