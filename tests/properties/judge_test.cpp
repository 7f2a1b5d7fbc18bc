// SPDX-License-Identifier: Apache-2.0
// What judges the random calls can fail: against answers that are wrong, and against examples.
#include "crash_report.hpp"
#include "draw_case.hpp"
#include "run_case.hpp"
#include "support/shapes.hpp"
#include "support/target.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <string>
#include <vector>

namespace fastnorm::test {
namespace {

/// What a library says that finds just this.
Status status_of(const Fault& fault) {
  std::string message;
  for (const std::string& words : fault.words) message += words + " ";
  return Status(fault.code, message);
}

class Judge : public TargetTest {
 protected:
  /// The test's body for random calls of the free function that are sound, and have elements.
  template <class Body>
  void for_sound_cases(const Body& body) {
    for_cases([&](const PropertyCase& one, const LaidOut& laid, const Expectation& expected) {
      if (expected.faults.empty() && !is_empty(one.desc)) body(one, laid, expected);
    });
  }

  /// The same for those in which something is wrong.
  template <class Body>
  void for_wrong_cases(const Body& body) {
    for_cases([&](const PropertyCase& one, const LaidOut& laid, const Expectation& expected) {
      if (!expected.faults.empty()) body(one, laid, expected);
    });
  }

 private:
  template <class Body>
  void for_cases(const Body& body) {
    const std::vector<Strategy> strategies = target_strategies();
    for (std::uint64_t number = 0; number < 400; ++number) {
      const PropertyCase one = draw_case(number, strategies);
      if (one.way != Way::free_function) continue;
      const LaidOut laid = lay_out(one);
      SCOPED_TRACE(describe(one));
      body(one, laid, expect(one, laid, {}));
      if (HasFailure()) return;
    }
  }
};

TEST_F(Judge, AcceptsTheReferenceOfASoundCallAndNothingLess) {
  for_sound_cases([](const PropertyCase& one, const LaidOut& laid, const Expectation& expected) {
    EXPECT_FALSE(judge(one, laid, expected, {})) << "nothing has run";
    laid.trial->pretend();
    EXPECT_TRUE(judge(one, laid, expected, {}));
    static_cast<std::uint8_t*>(laid.args.y)[-1] ^= 1;
    EXPECT_FALSE(judge(one, laid, expected, {})) << "a byte in front of y has changed";
  });
}

TEST_F(Judge, AcceptsNoErrorOfASoundCall) {
  for_sound_cases([](const PropertyCase& one, const LaidOut& laid, const Expectation& expected) {
    for (const StatusCode code : {StatusCode::invalid_argument, StatusCode::unsupported,
                                  StatusCode::unavailable, StatusCode::device_error}) {
      EXPECT_FALSE(judge(one, laid, expected, {Status(code, "x_strides= y=0x is null")}));
    }
  });
}

TEST_F(Judge, AcceptsAWrongCallsErrorAndNoOther) {
  for_wrong_cases([](const PropertyCase& one, const LaidOut& laid, const Expectation& expected) {
    for (const Fault& fault : expected.faults) {
      EXPECT_TRUE(judge(one, laid, expected, {status_of(fault)}));
      EXPECT_FALSE(judge(one, laid, expected, {Status(fault.code, "no")})) << "no words";
      const Status other(StatusCode::device_error, status_of(fault).message());
      EXPECT_FALSE(judge(one, laid, expected, {other})) << "the code is another";
    }
    EXPECT_FALSE(judge(one, laid, expected, {})) << "the call has passed";
  });
}

TEST_F(Judge, AcceptsNoTouchByAWrongCall) {
  for_wrong_cases([](const PropertyCase& one, const LaidOut& laid, const Expectation& expected) {
    const NormArgs args = laid.trial->args();
    if (is_empty(one.tensors.desc)) return;
    static_cast<std::uint8_t*>(args.y)[0] ^= 1;
    EXPECT_FALSE(judge(one, laid, expected, {status_of(expected.faults.front())}));
  });
}

TEST_F(Judge, AcceptsNoPlanButTheOneThatIsForced) {
  PropertyCase one;
  one.way = Way::plan_alone;
  one.desc = layer_norm_desc({2, 5000});
  const Problem problem = Problem::create(one.desc).value();
  std::vector<Strategy> strategies;
  for (const Strategy& strategy : target_strategies()) {
    if (strategy.variant->supports(problem, *strategy.device).ok) strategies.push_back(strategy);
  }
  ASSERT_GT(strategies.size(), 1U);
  for (const Strategy& strategy : strategies) {
    PlanOptions options = target_options(*strategy.backend);
    options.strategy = strategy.variant->name();
    const Result<Plan> plan = Plan::create(one.desc, options);
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    for (const Strategy& wanted : strategies) {
      one.options = options;
      one.options.strategy = wanted.variant->name();
      const bool same = wanted.variant == strategy.variant;
      EXPECT_EQ(static_cast<bool>(judge(one, {}, {}, {Status(), plan.value()})), same);
    }
  }
}

NormDesc with_x_strides(NormDesc desc, const Strides& strides) {
  desc.x_strides = strides;
  return desc;
}

TEST(Form, IsARowOfRunsEquallyLongAndFarApart) {
  EXPECT_TRUE(has_form(layer_norm_desc({3, 4, 5}, 2)));
  EXPECT_TRUE(has_form(with_x_strides(layer_norm_desc({3, 4, 5}, 2), {100, 7, 1}))) << "runs";
  EXPECT_TRUE(has_form(with_x_strides(layer_norm_desc({6, 4}), {1, 6}))) << "a column";
  EXPECT_TRUE(has_form(with_x_strides(layer_norm_desc({2, 4, 5}, 2), {100, 10, 2}))) << "the same";
  EXPECT_FALSE(has_form(with_x_strides(layer_norm_desc({2, 4, 5}, 2), {100, 11, 2})));
  EXPECT_FALSE(has_form(with_x_strides(layer_norm_desc({2, 3, 4, 5}, 3), {200, 50, 7, 1})));
}

TEST(Form, OrdersAGroupByChannelsOrByPositionsInBothTensors) {
  NormDesc desc = with_x_strides(group_norm_desc({2, 6, 4, 5}, 3), {120, 20, 5, 1});
  EXPECT_TRUE(has_form(desc)) << "dense";
  desc.x_strides = {120, 1, 30, 6};
  EXPECT_FALSE(has_form(desc)) << "y has another order";
  desc.y_strides = {200, 1, 40, 8};
  EXPECT_TRUE(has_form(desc)) << "by positions";
  desc.y_strides = {240, 1, 50, 6};
  EXPECT_FALSE(has_form(desc)) << "a gap behind each line of pixels";
}

TEST(Form, HasTwoDistancesFromRowToRow) {
  EXPECT_TRUE(has_form(with_x_strides(layer_norm_desc({3, 4, 5}), {100, 11, 1})));
  EXPECT_TRUE(has_form(with_x_strides(layer_norm_desc({2, 3, 4, 5}), {200, 44, 11, 1})));
  EXPECT_FALSE(has_form(with_x_strides(layer_norm_desc({2, 3, 4, 5}), {200, 45, 11, 1})));
}

TEST(PointerFaults, SlicesOfOneMatrixMayTakeTurns) {
  NormDesc desc = with_x_strides(layer_norm_desc({3, 4}), {8, 1});
  desc.y_strides = {8, 1};
  std::vector<float> matrix(3 * 8 + 4);
  NormArgs args;
  args.x = matrix.data();
  const auto has_faults = [&](std::size_t distance) {
    args.y = matrix.data() + distance;
    return !faults_of_pointers(desc, args).empty();
  };
  EXPECT_FALSE(has_faults(0)) << "in place";
  EXPECT_TRUE(has_faults(3));
  EXPECT_FALSE(has_faults(4));
  EXPECT_TRUE(has_faults(5));
  desc.y_strides = {9, 1};
  EXPECT_TRUE(has_faults(4)) << "of other strides";
}

/// Of 20 floats to 32 bytes of a workspace.
TEST(WorkspaceFaults, AreTheTensorsThatItMeets) {
  alignas(16) std::array<float, 80> floats{};
  PropertyCase one;
  one.desc = layer_norm_desc({4, 5});
  NormArgs args;
  args.x = floats.data() + 16;
  args.y = floats.data() + 40;
  args.rstd = floats.data() + 60;
  const auto met = [&](Workspace workspace, TensorName tensor) {
    one.workspace = workspace;
    one.under_workspace = tensor;
    std::string names;
    for (const Fault& fault : faults_of_workspace(one, args, 32)) names += fault.words.back() + " ";
    return names;
  };
  for (const Workspace workspace :
       {Workspace::begins_with_a_tensor, Workspace::begins_at_a_tensors_end,
        Workspace::ends_in_a_tensor}) {
    EXPECT_EQ(met(workspace, TensorName::x), "overlaps x=0x ");
  }
  EXPECT_EQ(met(Workspace::begins_at_a_tensors_end, TensorName::y),
            "overlaps y=0x overlaps rstd=0x ");
  EXPECT_EQ(met(Workspace::sound, TensorName::x), "");
  EXPECT_TRUE(faults_of_workspace(one, args, 0).empty());
}

TEST(CrashReportDeathTest, SaysTheLastWords) {
  const auto crash = [] {
    CrashReport report;
    report.last_words("ended by case 417");
    std::abort();
  };
  EXPECT_DEATH(crash(), "ended by case 417");
}

}  // namespace
}  // namespace fastnorm::test
