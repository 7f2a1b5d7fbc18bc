/// The workbench of the space under test, judged with the tests' own oracle.
#include "measure/workbench.hpp"

#include "measure/random_values.hpp"
#include "support/oracle.hpp"
#include "support/shapes.hpp"
#include "support/target.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace fastnorm::measure {
namespace {

using test::target_memory;

constexpr std::uint64_t seed = 11;

class WorkbenchTest : public test::TargetTest {
 protected:
  void SetUp() override {
    test::TargetTest::SetUp();
    if (IsSkipped()) return;
    auto made = make_workbench(*test::target_backends().front()->device(-1).value());
    ASSERT_TRUE(made.ok()) << made.status().message();
    workbench_ = std::move(made).value();
  }

  void load(const NormDesc& desc, Affine affine = Affine::present) {
    desc_ = desc;
    const Status status = workbench_->load(desc, affine, seed);
    ASSERT_TRUE(status.ok()) << status.message();
  }

  std::vector<float> read(const void* from, std::size_t count) const {
    std::vector<float> values(count);
    target_memory().read(values.data(), from, count * sizeof(float));
    return values;
  }

  /// y of the loaded problem, from the oracle.
  std::vector<float> oracle_y() const {
    const test::LogicalShape shape = test::logical_shape(desc_);
    const NormArgs args = workbench_->args();
    test::NormInputs inputs;
    inputs.x = read(args.x, shape.elements());
    if (args.gamma != nullptr) inputs.gamma = read(args.gamma, shape.c);
    if (args.beta != nullptr) inputs.beta = read(args.beta, shape.c);
    const std::vector<double> y = test::reference(desc_, inputs).y;
    return std::vector<float>(y.begin(), y.end());
  }

  /// A call that writes these values to y. Not to be timed.
  static Call writes(std::vector<float> y) {
    return {[y = std::move(y)](const NormArgs& args, void*, Stream) {
              target_memory().write(args.y, y.data(), y.size() * sizeof(float));
              return Status{};
            },
            0};
  }

  Verdict verify(const Call& call) {
    const Result<Verdict> verdict = workbench_->verify(call);
    EXPECT_TRUE(verdict.ok()) << verdict.status().message();
    return verdict.ok() ? verdict.value() : Verdict{};
  }

  NormDesc desc_;
  std::unique_ptr<Workbench> workbench_;
};

TEST_F(WorkbenchTest, ReferenceAgreesWithTheOracle) {
  for (const NormDesc& desc :
       {test::group_norm_desc({2, 12, 7, 9}, 4), test::group_norm_desc({3, 6}, 2),
        test::group_norm_desc({1, 2, 300, 301}, 1), test::instance_norm_desc({5, 3, 2, 3, 5}),
        test::group_norm_desc({700, 4, 16}, 2, 1e-2), test::group_norm_desc({1, 1, 1}, 1)}) {
    for (const Affine affine : {Affine::present, Affine::absent}) {
      SCOPED_TRACE(test::to_text(desc));
      load(desc, affine);
      const Verdict verdict = verify(writes(oracle_y()));
      EXPECT_TRUE(verdict.ok()) << verdict.describe();
      EXPECT_LT(verdict.worst_ratio, 0.05) << "more than the rounding of y to fp32";
    }
  }
}

TEST_F(WorkbenchTest, XIsTheSeedsRandomTensor) {
  load(test::group_norm_desc({2, 6, 1000}, 3));
  const std::vector<float> x = read(workbench_->args().x, 12000);
  for (std::size_t i = 0; i < x.size(); ++i) {
    ASSERT_EQ(x[i], random_value(seed, static_cast<std::int64_t>(i))) << i;
  }
}

TEST_F(WorkbenchTest, OneWrongElementIsFound) {
  load(test::group_norm_desc({2, 12, 7, 9}, 4));
  std::vector<float> y = oracle_y();
  y[777] += 1;
  const Verdict verdict = verify(writes(y));
  EXPECT_FALSE(verdict.ok());
  EXPECT_EQ(verdict.violations, 1);
  EXPECT_EQ(verdict.worst_index, 777);
  EXPECT_GT(verdict.worst_ratio, 1000);
  EXPECT_EQ(verdict.got, y[777]);
  EXPECT_NEAR(verdict.expected, y[777] - 1, 1e-4);
  EXPECT_EQ(verdict.damaged, "");
  EXPECT_NE(verdict.describe().find("777"), std::string::npos);
}

TEST_F(WorkbenchTest, ASlightErrorIsFoundAndATinyOneIsNone) {
  load(test::instance_norm_desc({1, 2, 4096}));
  std::vector<float> y = oracle_y();
  const float size = std::max(1.0f, std::fabs(y[5000]));
  y[5000] += 4e-5f * size;
  EXPECT_EQ(verify(writes(y)).violations, 1);
  y = oracle_y();
  y[5000] += 1e-5f * size;
  EXPECT_TRUE(verify(writes(y)).ok());
}

TEST_F(WorkbenchTest, NanNeverPasses) {
  load(test::group_norm_desc({2, 4, 33}, 2));
  std::vector<float> y = oracle_y();
  y[100] = y[200] = std::numeric_limits<float>::quiet_NaN();
  const Verdict verdict = verify(writes(y));
  EXPECT_EQ(verdict.violations, 2);
  EXPECT_EQ(verdict.worst_index, 100);
  EXPECT_TRUE(std::isinf(verdict.worst_ratio));
}

TEST_F(WorkbenchTest, AnElementLeftOutIsFound) {
  load(test::group_norm_desc({2, 4, 33}, 2));
  // Once right, so that stale results lie in y; the next call must not profit from them.
  EXPECT_TRUE(verify(writes(oracle_y())).ok());
  const Verdict verdict = verify({[](const NormArgs&, void*, Stream) { return Status{}; }, 0});
  EXPECT_EQ(verdict.violations, 2 * 4 * 33);
}

TEST_F(WorkbenchTest, WritingBesideATensorIsFoundAndRepaired) {
  load(test::group_norm_desc({2, 4, 33}, 2));
  const std::vector<float> y = oracle_y();
  const auto scribbles = [&](auto where) {
    return Call{[&y, where](const NormArgs& args, void* workspace, Stream) {
                  target_memory().write(args.y, y.data(), y.size() * sizeof(float));
                  const float value = 1;
                  target_memory().write(where(args, workspace), &value, sizeof value);
                  return Status{};
                },
                64};
  };
  const std::size_t count = y.size();
  EXPECT_EQ(verify(scribbles([&](const NormArgs& args, void*) {
              return static_cast<float*>(args.y) + count;
            })).damaged,
            "around y");
  EXPECT_EQ(verify(scribbles([](const NormArgs& args, void*) {
              return static_cast<float*>(const_cast<void*>(args.gamma)) - 1;
            })).damaged,
            "around gamma");
  EXPECT_EQ(verify(scribbles([](const NormArgs&, void* workspace) {
              return static_cast<float*>(workspace) + 16;
            })).damaged,
            "around the workspace");
  const Verdict in_x = verify(scribbles([](const NormArgs& args, void*) {
    return static_cast<float*>(const_cast<void*>(args.x)) + 7;
  }));
  EXPECT_EQ(in_x.damaged, "in x");
  const Verdict after = verify(writes(y));
  EXPECT_TRUE(after.ok()) << after.describe();
}

TEST_F(WorkbenchTest, TheWorkspaceHoldsDifferentGarbage) {
  load(test::group_norm_desc({1, 2, 3}, 1));
  std::vector<float> seen;
  for (int run = 0; run < 3; ++run) {
    static_cast<void>(verify({[&](const NormArgs&, void* workspace, Stream) {
                                seen.push_back(read(workspace, 1)[0]);
                                return Status{};
                              },
                              4}));
  }
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 0.0f), 1);
  EXPECT_EQ(std::count_if(seen.begin(), seen.end(), [](float v) { return std::isnan(v); }), 1);
}

TEST_F(WorkbenchTest, ACallsFailureComesBack) {
  load(test::group_norm_desc({1, 2, 3}, 1));
  const Call refuses{
      [](const NormArgs&, void*, Stream) { return Status(StatusCode::unsupported, "not today"); },
      0};
  EXPECT_EQ(workbench_->verify(refuses).status().message(), "not today");
  EXPECT_EQ(workbench_->time(refuses, {}).status().message(), "not today");
  EXPECT_TRUE(workbench_->health().ok());
}

TEST_F(WorkbenchTest, PlansAreRightInPlaceTooAndTakeTime) {
  for (const Backend* backend : test::target_backends()) {
    const NormDesc desc = test::group_norm_desc({4, 32, 31, 33}, 8);
    load(desc);
    const Result<Plan> plan = Plan::create(desc, test::target_options(*backend));
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    const Call call = call_of(plan.value());
    for (int run = 0; run < 2; ++run) {
      const Verdict verdict = verify(call);
      EXPECT_TRUE(verdict.ok()) << verdict.describe();
      const Result<Verdict> in_place = workbench_->verify_in_place(call);
      ASSERT_TRUE(in_place.ok()) << in_place.status().message();
      EXPECT_TRUE(in_place.value().ok()) << in_place.value().describe();
    }
    const auto samples = workbench_->time(call, SampleLimits{5, 9, 0.01});
    ASSERT_TRUE(samples.ok()) << samples.status().message();
    EXPECT_GE(samples.value().size(), 5u);
    EXPECT_LE(samples.value().size(), 9u);
    for (const double us : samples.value()) EXPECT_GT(us, 0);
    // Timing, too, leaves a right result behind, and the tensors whole.
    EXPECT_TRUE(verify(call).ok());
  }
}

TEST_F(WorkbenchTest, CopiesAreMeasuredOnceASize) {
  load(test::group_norm_desc({4, 32, 31, 33}, 8));
  const std::int64_t bytes = 4 * 32 * 31 * 33 * 4;
  const Result<double> first = workbench_->copy_us(bytes);
  ASSERT_TRUE(first.ok()) << first.status().message();
  EXPECT_GT(first.value(), 0);
  EXPECT_EQ(workbench_->copy_us(bytes).value(), first.value());
  EXPECT_TRUE(workbench_->copy_us(bytes - 5).ok()) << "a size that is no multiple of 16";
  const Result<double> too_much = workbench_->copy_us(bytes + 1);
  ASSERT_FALSE(too_much.ok());
  EXPECT_NE(too_much.status().message().find(std::to_string(bytes)), std::string::npos);
}

TEST_F(WorkbenchTest, SmallerAndLargerProblemsMayFollow) {
  for (const std::int64_t n : {4, 1, 16}) {
    load(test::group_norm_desc({n, 8, 100}, 2));
    EXPECT_TRUE(verify(writes(oracle_y())).ok());
  }
}

TEST_F(WorkbenchTest, WhatCannotBeMeasuredSaysWhy) {
  EXPECT_EQ(workbench_->verify(writes({})).status().code(), StatusCode::unavailable);
  const Status huge =
      workbench_->load(test::group_norm_desc({1 << 20, 64, 512, 512}, 8), Affine::present, seed);
  EXPECT_EQ(huge.code(), StatusCode::out_of_memory);
  EXPECT_NE(huge.message().find("GB"), std::string::npos) << huge.message();
  EXPECT_EQ(workbench_->load(test::group_norm_desc({0, 64, 5}, 8), Affine::present, seed).code(),
            StatusCode::unsupported);
  EXPECT_EQ(workbench_->load(test::group_norm_desc({2, 5, 5}, 2), Affine::present, seed).code(),
            StatusCode::invalid_argument);
}

}  // namespace
}  // namespace fastnorm::measure
