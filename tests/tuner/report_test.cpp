// SPDX-License-Identifier: Apache-2.0
#include "tuner/report.hpp"

#include "tuner/listed_variant.hpp"

#include <gtest/gtest.h>

#include <string>

namespace fastnorm::tuner {
namespace {

class ReportTest : public ::testing::Test {
 protected:
  Outcome outcome(double tuned_us, double default_us) const {
    const Contender contender{&variant_, test::ListedVariant::config(0)};
    Outcome result{{{contender, {tuned_us, 0, 9}}, {contender, {default_us, 0, 9}}}, {}, 0, {}};
    return result;
  }

  /// What it prints at the end, after the table's rows.
  static std::string finished(Report& report) {
    testing::internal::CaptureStdout();
    report.finish({"db.yaml"});
    return testing::internal::GetCapturedStdout();
  }

  void tune(Report& report, const std::string& name, double tuned_us, double default_us) const {
    testing::internal::CaptureStdout();
    report.tuned(name, outcome(tuned_us, default_us), 50);
    EXPECT_NE(testing::internal::GetCapturedStdout().find(name), std::string::npos);
  }

  test::ListedVariant variant_{"steady", {1}};
};

TEST_F(ReportTest, SaysWhatWasGainedAndWhereTheTimeWent) {
  Report report;
  tune(report, "a", 100, 100);
  tune(report, "b", 50, 200);
  tune(report, "c", 9900, 19800);
  report.spent({1, 2, 3, 4});
  report.spent({0.5, 60, 3, 4});
  EXPECT_EQ(finished(report),
            "\n3 tuned, 2.000x the default's speed in the geometric mean\n"
            "2 faster than the default, the most b: 4.00x; all once take 10.05 ms instead of 20.10 "
            "ms\n"
            "spent 1m18s: loading 1.5s, verifying 1m02s, timing 6.0s, finals 8.0s\n"
            "winners are in db.yaml\n");
}

TEST_F(ReportTest, ANoteSteersNoTerminal) {
  Report report;
  testing::internal::CaptureStdout();
  report.note("goes on with \x1b[31m\n.journal");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "goes on with \\x1b[31m\\n.journal\n");
}

TEST_F(ReportTest, IsSilentOfWhatThereWasNot) {
  Report report;
  tune(report, "a", 100, 100);
  report.skipped("b", "no budget is left");
  report.skipped("c", "no budget is left");
  EXPECT_EQ(finished(report),
            "\n1 tuned, 1.000x the default's speed in the geometric mean\n"
            "2 skipped, no budget is left: b, c\n"
            "winners are in db.yaml\n");
}

}  // namespace
}  // namespace fastnorm::tuner
