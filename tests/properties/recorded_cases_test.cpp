// SPDX-License-Identifier: Apache-2.0
// What a program records is what autotune then tunes: an entry that serves the recorded call
// exactly.
#include "core/case_text.hpp"
#include "core/tuning_db.hpp"
#include "draw_desc.hpp"
#include "measure/cases.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace fastnorm::test {
namespace {

TEST(RecordedCases, HaveTheEntriesOfTheCalls) {
  constexpr std::size_t descriptors = 20000;
  Draw draw(11);
  std::size_t written = 0;
  std::size_t strided_and_left_out = 0;
  std::map<std::string, Problem> by_name;
  for (std::size_t i = 0; i < descriptors; ++i) {
    const NormDesc desc = i % 8 == 0 ? draw_enormous_desc(draw) : draw_desc(draw);
    const Result<Problem> problem = Problem::create(desc);
    if (!problem.ok() || problem.value().empty()) continue;
    const std::string what = problem.value().to_string();
    const auto text = case_text(problem.value(), "cuda served it by heuristic");
    if (!text) {
      const bool strided = desc.x_strides.rank() > 0 || desc.y_strides.rank() > 0;
      EXPECT_TRUE(strided) << "a dense tensor is always a case: " << what;
      ++strided_and_left_out;
      continue;
    }
    ++written;
    const auto cases = measure::parse_cases("- " + text->yaml + "\n", "text");
    ASSERT_TRUE(cases.ok()) << cases.status().message() << "\n" << text->yaml << "\n" << what;
    EXPECT_EQ(cases.value()[0].name, text->name);
    const Result<NormDesc> again = measure::to_desc(cases.value()[0]);
    ASSERT_TRUE(again.ok()) << again.status().message() << "\n" << text->yaml << "\n" << what;
    EXPECT_TRUE(share_an_entry(problem.value(), Problem::create(again.value()).value()))
        << text->yaml << "\n"
        << what;
    EXPECT_EQ(again.value().eps, desc.eps);
    // A name that stood for two problems would lose one of them.
    const auto [known, is_new] = by_name.emplace(text->name, problem.value());
    EXPECT_TRUE(is_new || share_an_entry(known->second, problem.value())) << text->name;
  }
  EXPECT_GT(written, descriptors / 2);
  EXPECT_LT(strided_and_left_out, descriptors / 20);
}

}  // namespace
}  // namespace fastnorm::test
