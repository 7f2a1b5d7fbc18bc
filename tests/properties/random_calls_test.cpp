// SPDX-License-Identifier: Apache-2.0
// Calls at random, right and wrong ones: each ends in the right answer or in the right error, and a
// wrong one leaves its tensors alone.
//
//     FASTNORM_PROPERTY_CASES=100000   runs so many;
//     FASTNORM_PROPERTY_CASE=417       runs that one alone, and says all about it.
#include "crash_report.hpp"
#include "draw_case.hpp"
#include "histogram.hpp"
#include "run_case.hpp"
#include "support/shapes.hpp"
#include "support/target.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <vector>

namespace fastnorm::test {
namespace {

std::optional<std::uint64_t> number_from(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  return std::strtoull(text, nullptr, 10);
}

std::string memory_of(const NormDesc& desc) {
  const bool has_strides = desc.x_strides.rank() > 0 || desc.y_strides.rank() > 0;
  return has_strides ? "strides" : to_string(desc.layout);
}

class RandomCalls : public TargetTest {
 protected:
  void SetUp() override {
    TargetTest::SetUp();
    if (IsSkipped()) return;
    strategies_ = target_strategies();
    stream_.emplace();
  }

  /// Enough for every strategy to have its share, of which wrong calls take a part.
  std::uint64_t usual_cases() const {
    return std::max<std::uint64_t>(2400, 200 * strategies_.size());
  }

  /// False where no other case can be run after it.
  bool run(std::uint64_t number) {
    const std::string command = replay_command(number);
    report_.last_words("\nended by case " + std::to_string(number) +
                       ", before it was drawn; once more: " + command + "\n");
    const PropertyCase one = draw_case(number, strategies_);
    const std::string text = "case " + std::to_string(number) + ":\n" + describe(one) +
                             "\n  once more: " + command + "\n";
    report_.last_words("\nended by " + text);
    try {
      const Outcome outcome = run_case(one, stream_->get());
      if (!outcome.verdict) {
        ADD_FAILURE() << outcome.verdict.message() << "\n" << text;
        ++failures_;
      }
      count(one, outcome);
      last_text_ = text + "  " + outcome.kind + "\n";
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what() << "\n" << text;
      return false;
    }
    constexpr std::size_t enough = 10;
    return failures_ < enough;
  }

  void count(const PropertyCase& one, const Outcome& outcome) {
    histogram_.count("outcome", outcome.kind);
    histogram_.count("call", outcome.was_valid ? "sound" : "wrong");
    for (const std::string& what : one.spoilt) {
      histogram_.count("spoilt", what + (outcome.was_valid ? ": not" : ""));
    }
    if (!outcome.was_valid) return;
    const NormDesc& desc = one.desc;
    histogram_.count("strategy", outcome.strategy.empty() ? "(not told)" : outcome.strategy);
    histogram_.count("operation", to_string(desc.op));
    histogram_.count("x", to_string(desc.x_type));
    histogram_.count("y", to_string(desc.y_type));
    histogram_.count("activation", to_string(desc.epilogue.activation));
    histogram_.count("memory", memory_of(desc));
    histogram_.count("rank", std::to_string(desc.extents.rank()));
  }

  std::vector<Strategy> strategies_;
  std::optional<TargetStream> stream_;  // None where there is nothing to run on.
  CrashReport report_;
  Histogram histogram_;
  std::size_t failures_ = 0;
  std::string last_text_;
};

TEST_F(RandomCalls, GetTheRightAnswerOrTheRightError) {
  if (const auto number = number_from("FASTNORM_PROPERTY_CASE")) {
    run(*number);
    std::printf("%s", last_text_.c_str());
    return;
  }
  const std::uint64_t cases = number_from("FASTNORM_PROPERTY_CASES").value_or(usual_cases());
  for (std::uint64_t number = 0; number < cases; ++number) {
    if (!run(number)) break;
  }
  std::printf("%s", histogram_.text().c_str());
  if (HasFailure() || cases < usual_cases()) return;
  EXPECT_GE(2 * histogram_.of("call", "sound"), cases);
  for (const Strategy& strategy : strategies_) {
    EXPECT_GE(histogram_.of("strategy", strategy.name()), 50U) << strategy.name();
  }
}

}  // namespace
}  // namespace fastnorm::test
