// SPDX-License-Identifier: Apache-2.0
/// The workbench of the space under test, judged with the tests' own oracle.
#include "measure/workbench.hpp"

#include "measure/random_values.hpp"
#include "support/oracle.hpp"
#include "support/places.hpp"
#include "support/plans.hpp"
#include "support/random.hpp"
#include "support/shapes.hpp"
#include "support/target.hpp"
#include "support/trial.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fastnorm::measure {
namespace {

using test::target_memory;
using test::Values;

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

  static Values read(DType type, const void* from, std::size_t count) {
    std::vector<std::uint8_t> bytes(count * size_of(type));
    target_memory().read(bytes.data(), from, bytes.size());
    return test::decode(type, bytes);
  }

  /// The elements of a tensor like x, in the order of the extents.
  Values read_like_x(const void* from) const {
    const std::vector<std::size_t> places = test::places(desc_, desc_.x_strides);
    const Values all = read(desc_.x_type, from, span_of(places));
    Values values;
    for (const std::size_t place : places) values.push_back(all[place]);
    return values;
  }

  static std::size_t span_of(const std::vector<std::size_t>& places) {
    return *std::max_element(places.begin(), places.end()) + 1;
  }

  /// The loaded problem's inputs.
  test::NormInputs inputs() const {
    const test::LogicalShape shape = test::logical_shape(desc_);
    const NormArgs args = workbench_->args();
    const auto read_if = [](DType type, const void* from, std::size_t count) {
      return from == nullptr ? std::nullopt : std::optional<Values>(read(type, from, count));
    };
    test::NormInputs inputs;
    inputs.x = read_like_x(args.x);
    inputs.gamma = read_if(desc_.affine_type, args.gamma, shape.c);
    inputs.beta = read_if(desc_.affine_type, args.beta, shape.c);
    if (args.residual != nullptr) inputs.residual = read_like_x(args.residual);
    inputs.scale = read_if(desc_.affine_type, args.scale, shape.samples * shape.c);
    inputs.shift = read_if(desc_.affine_type, args.shift, shape.samples * shape.c);
    return inputs;
  }

  /// y of the loaded problem, from the oracle.
  Values oracle_y() const {
    return test::rounded(desc_.y_type, test::reference(desc_, inputs()).y);
  }

  /// A call that writes these values, in the order of the extents, to y. Not to be timed.
  Call writes(const Values& y) const {
    const std::vector<std::size_t> places = test::places(desc_, desc_.y_strides);
    return {[places, y, type = desc_.y_type](const NormArgs& args, void*, Stream) {
              const std::size_t size = size_of(type);
              const std::vector<std::uint8_t> elements = test::encode(type, y);
              std::vector<std::uint8_t> all(span_of(places) * size);
              target_memory().read(all.data(), args.y, all.size());
              for (std::size_t i = 0; i < places.size(); ++i) {
                std::copy_n(&elements[i * size], size, &all[places[i] * size]);
              }
              target_memory().write(args.y, all.data(), all.size());
              return Status{};
            },
            0};
  }

  /// The same, and then a float to where(args, workspace).
  template <class Where>
  Call writes_and_scribbles(const Values& y, const Where& where) const {
    return {[right = writes(y), where](const NormArgs& args, void* workspace, Stream stream) {
              const Status status = right.run(args, workspace, stream);
              const float value = 1;
              target_memory().write(where(args, workspace), &value, sizeof value);
              return status;
            },
            64};
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

// Every type, residual and epilogue, many times, with the rounding of y alone between the two.
TEST_F(WorkbenchTest, ReferenceAgreesWithTheOracleInEveryForm) {
  test::Draw draw(3);
  const NormDesc shapes[] = {
      test::group_norm_desc({2, 12, 7, 9}, 4), test::instance_norm_desc({3, 2, 601}),
      test::layer_norm_desc({2, 3, 700}),      test::rms_norm_desc({3, 4, 5, 6}, 2),
      test::rms_norm_desc({1, 3000}),          test::layer_norm_desc({5, 7}, 2)};
  for (int trial = 0; trial < 200; ++trial) {
    const NormDesc desc =
        test::draw_form(draw.one_of(std::vector(std::begin(shapes), std::end(shapes))), draw);
    SCOPED_TRACE(test::to_text(desc));
    load(desc, draw.once_in(4) ? Affine::absent : Affine::present);
    const Verdict verdict = verify(writes(oracle_y()));
    EXPECT_TRUE(verdict.ok()) << verdict.describe();
    EXPECT_LT(verdict.worst_ratio, size_of(desc.y_type) == 2 ? 0.3 : 0.05);
  }
}

/// Problems whose tensors are not dense: channels-last, with gaps, by columns, x and y apart.
std::vector<NormDesc> scattered() {
  std::vector<NormDesc> all;
  for (const NormDesc& desc :
       {test::group_norm_desc({2, 12, 7, 9}, 4), test::group_norm_desc({3, 10, 601}, 2),
        test::instance_norm_desc({2, 3, 4, 5, 6}), test::instance_norm_desc({1, 70, 300}),
        test::group_norm_desc({1, 80, 40, 41}, 2), test::layer_norm_desc({2, 40, 33}),
        test::rms_norm_desc({5, 7, 3, 11}, 2), test::layer_norm_desc({3, 700})}) {
    for (const NormDesc& other : test::other_layouts(desc)) all.push_back(other);
  }
  return all;
}

TEST_F(WorkbenchTest, ReferenceAgreesWithTheOracleInEveryLayout) {
  test::Draw draw(7);
  for (const NormDesc& plain : scattered()) {
    for (const NormDesc& desc : {plain, test::draw_form(plain, draw)}) {
      SCOPED_TRACE(test::to_text(desc));
      load(desc);
      const Verdict verdict = verify(writes(oracle_y()));
      EXPECT_TRUE(verdict.ok()) << verdict.describe();
      EXPECT_LT(verdict.worst_ratio, size_of(desc.y_type) == 2 ? 0.3 : 0.05);
    }
  }
}

TEST_F(WorkbenchTest, OneWrongElementIsFoundInEveryLayout) {
  for (const NormDesc& desc : scattered()) {
    SCOPED_TRACE(test::to_text(desc));
    load(desc);
    const Values right = oracle_y();
    for (const std::size_t at : {std::size_t{0}, right.size() / 3, right.size() - 1}) {
      Values y = right;
      y[at] += 1;
      const Verdict verdict = verify(writes(y));
      EXPECT_EQ(verdict.violations, 1);
      ASSERT_EQ(verdict.worst_index.size(), static_cast<std::size_t>(desc.extents.rank()));
      std::size_t index = 0;
      for (int axis = 0; axis < desc.extents.rank(); ++axis) {
        index = index * static_cast<std::size_t>(desc.extents[axis]) +
                static_cast<std::size_t>(verdict.worst_index[static_cast<std::size_t>(axis)]);
      }
      EXPECT_EQ(index, at) << verdict.describe();
      EXPECT_EQ(verdict.damaged, "");
    }
  }
}

/// The first place between the elements, or none.
std::optional<std::size_t> first_gap(const NormDesc& desc, const Strides& strides) {
  std::vector<std::size_t> places = test::places(desc, strides);
  std::sort(places.begin(), places.end());
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] != i) return i;
  }
  return std::nullopt;
}

TEST_F(WorkbenchTest, WritingBetweenElementsIsFoundAndRepaired) {
  int of_x = 0;
  int of_y = 0;
  for (const NormDesc& desc : scattered()) {
    SCOPED_TRACE(test::to_text(desc));
    load(desc);
    const Values y = oracle_y();
    if (const auto gap = first_gap(desc, desc.y_strides)) {
      ++of_y;
      const Verdict verdict = verify(writes_and_scribbles(
          y, [&](const NormArgs& args, void*) { return static_cast<float*>(args.y) + *gap; }));
      EXPECT_EQ(verdict.violations, 0);
      EXPECT_EQ(verdict.damaged, "between the elements of y");
    }
    if (const auto gap = first_gap(desc, desc.x_strides)) {
      ++of_x;
      const Verdict verdict = verify(writes_and_scribbles(y, [&](const NormArgs& args, void*) {
        return static_cast<float*>(const_cast<void*>(args.x)) + *gap;
      }));
      EXPECT_EQ(verdict.violations, 0);
      EXPECT_EQ(verdict.damaged, "in x");
    }
    const Verdict after = verify(writes(y));
    EXPECT_TRUE(after.ok()) << after.describe();
  }
  EXPECT_GE(of_x, 5);
  EXPECT_GE(of_y, 5);
}

TEST_F(WorkbenchTest, InPlaceTheGapsArePoisoned) {
  NormDesc desc = test::layer_norm_desc({3, 5});
  desc.x_strides = desc.y_strides = {7, 1};
  load(desc);
  const Values y = oracle_y();
  const auto verdict_of = [&](const Call& call) {
    const Result<Verdict> verdict = workbench_->verify_in_place(call);
    EXPECT_TRUE(verdict.ok()) << verdict.status().message();
    return verdict.ok() ? verdict.value().damaged : "";
  };
  EXPECT_EQ(verdict_of(writes(y)), "");
  EXPECT_EQ(verdict_of(writes_and_scribbles(
                y, [](const NormArgs& args, void*) { return static_cast<float*>(args.y) + 6; })),
            "between the elements of y");
  Values seen;
  const Call looks{[&](const NormArgs& args, void*, Stream) {
                     seen = read(DType::f32, args.x, 12);
                     return Status{};
                   },
                   0};
  static_cast<void>(verdict_of(looks));
  EXPECT_TRUE(std::isnan(seen[5]) && std::isnan(seen[6]));
  EXPECT_FALSE(std::isnan(seen[4]) || std::isnan(seen[7]));

  desc.y_strides = {8, 1};
  load(desc);
  EXPECT_FALSE(workbench_->may_run_in_place());
  EXPECT_EQ(workbench_->verify_in_place(looks).status().code(), StatusCode::unsupported);
}

/// y of the same call on an x of which one row has moved by so much: in y, all else is the same.
Values with_row_moved(const NormDesc& desc, const Values& y, std::size_t row, double distance) {
  const test::LogicalShape shape = test::logical_shape(desc);
  Values moved = y;
  for (std::size_t i = row * shape.row_len(); i < (row + 1) * shape.row_len(); ++i) {
    moved[i] += distance;
  }
  return moved;
}

TEST_F(WorkbenchTest, WrongStatisticsOfOneRowAreFound) {
  for (const NormDesc& desc : scattered()) {
    SCOPED_TRACE(test::to_text(desc));
    load(desc, Affine::absent);
    const test::LogicalShape shape = test::logical_shape(desc);
    const Values y = oracle_y();
    EXPECT_TRUE(verify(writes(y)).ok());
    for (const std::size_t row : {std::size_t{0}, shape.statistics() - 1}) {
      const Verdict verdict = verify(writes(with_row_moved(desc, y, row, 1e-3)));
      EXPECT_EQ(verdict.violations, static_cast<std::int64_t>(shape.row_len()));
    }
  }
}

// Rows take turns in memory, and yet differ enough for a kernel that takes the statistics of a
// neighbour to be wrong, in the coarsest type and however long they are.
TEST_F(WorkbenchTest, TheRowsOfChannelsLastTensorsDiffer) {
  NormDesc desc = test::with_type(test::group_norm_desc({1, 8, 300, 301}, 4), DType::bf16);
  desc.layout = Layout::channels_last;
  load(desc, Affine::absent);
  const test::NormReference reference = test::reference(desc, inputs());
  Values of_neighbour = reference.normalised;
  const std::size_t row_len = test::logical_shape(desc).row_len();
  for (std::size_t i = 0; i < of_neighbour.size(); ++i) {
    const std::size_t row = i / row_len;
    const std::size_t other = (row + 1) % 4;
    const double h = of_neighbour[i] / reference.rstd[row] + reference.mean[row];
    of_neighbour[i] = (h - reference.mean[other]) * reference.rstd[other];
  }
  EXPECT_GT(verify(writes(of_neighbour)).violations,
            static_cast<std::int64_t>(of_neighbour.size() / 2));
  EXPECT_TRUE(verify(writes(oracle_y())).ok());
}

TEST_F(WorkbenchTest, WhatTheDescriptorAsksForIsThere) {
  NormDesc desc = test::layer_norm_desc({2, 3, 8});
  load(desc);
  EXPECT_EQ(workbench_->args().residual, nullptr);
  EXPECT_EQ(workbench_->args().scale, nullptr);
  desc.residual = Residual::exact_sum;
  desc.epilogue.modulation = Modulation::scale_shift;
  load(desc);
  const NormArgs args = workbench_->args();
  for (const void* tensor : {args.gamma, args.beta, args.residual, args.scale, args.shift}) {
    EXPECT_NE(tensor, nullptr);
  }
  EXPECT_NE(inputs().x, *inputs().residual);
  load(test::rms_norm_desc({2, 3, 8}));
  EXPECT_NE(workbench_->args().gamma, nullptr);
  EXPECT_EQ(workbench_->args().beta, nullptr);
}

TEST_F(WorkbenchTest, XIsTheSeedsRandomTensor) {
  for (const DType type : {DType::f32, DType::f16, DType::bf16, DType::f64}) {
    load(test::with_type(test::group_norm_desc({2, 6, 1000}, 3), type));
    const Values x = inputs().x;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto place = static_cast<std::int64_t>(i);
      constexpr std::int64_t row_len = 2000;
      const double value = random_value(seed, place, place / row_len);
      ASSERT_EQ(x[i], test::rounded(type, value)) << to_string(type) << " " << i;
    }
  }
}

TEST_F(WorkbenchTest, OneWrongElementIsFound) {
  load(test::group_norm_desc({2, 12, 7, 9}, 4));
  Values y = oracle_y();
  y[777] += 1;
  const Verdict verdict = verify(writes(y));
  EXPECT_FALSE(verdict.ok());
  EXPECT_EQ(verdict.violations, 1);
  EXPECT_EQ(verdict.worst_index, (std::vector<std::int64_t>{1, 0, 2, 3}));
  EXPECT_GT(verdict.worst_ratio, 1000);
  EXPECT_EQ(verdict.got, test::rounded(DType::f32, y[777]));
  EXPECT_NEAR(verdict.expected, y[777] - 1, 1e-4);
  EXPECT_EQ(verdict.damaged, "");
  EXPECT_NE(verdict.describe().find("y[1, 0, 2, 3]"), std::string::npos) << verdict.describe();
}

TEST_F(WorkbenchTest, ASlightErrorIsFoundAndATinyOneIsNone) {
  load(test::instance_norm_desc({1, 2, 4096}));
  Values y = oracle_y();
  const double size = std::max(1.0, std::fabs(y[5000]));
  y[5000] += 4e-5 * size;
  EXPECT_EQ(verify(writes(y)).violations, 1);
  y = oracle_y();
  y[5000] += 1e-5 * size;
  EXPECT_TRUE(verify(writes(y)).ok());
}

TEST_F(WorkbenchTest, NanNeverPasses) {
  load(test::group_norm_desc({2, 4, 33}, 2));
  Values y = oracle_y();
  y[100] = y[200] = std::numeric_limits<double>::quiet_NaN();
  const Verdict verdict = verify(writes(y));
  EXPECT_EQ(verdict.violations, 2);
  EXPECT_EQ(verdict.worst_index, (std::vector<std::int64_t>{0, 3, 1}));
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
  const Values y = oracle_y();
  const auto damage = [&](const auto& where) {
    return verify(writes_and_scribbles(y, where)).damaged;
  };
  EXPECT_EQ(damage([count = y.size()](const NormArgs& args, void*) {
              return static_cast<float*>(args.y) + count;
            }),
            "around y");
  EXPECT_EQ(damage([](const NormArgs& args, void*) {
              return static_cast<float*>(const_cast<void*>(args.gamma)) - 1;
            }),
            "around gamma");
  EXPECT_EQ(
      damage([](const NormArgs&, void* workspace) { return static_cast<float*>(workspace) + 16; }),
      "around the workspace");
  EXPECT_EQ(damage([](const NormArgs& args, void*) {
              return static_cast<float*>(const_cast<void*>(args.x)) + 7;
            }),
            "in x");
  const Verdict after = verify(writes(y));
  EXPECT_TRUE(after.ok()) << after.describe();
}

TEST_F(WorkbenchTest, TheWorkspaceHoldsDifferentGarbage) {
  load(test::group_norm_desc({1, 2, 3}, 1));
  Values seen;
  for (int run = 0; run < 3; ++run) {
    static_cast<void>(verify({[&](const NormArgs&, void* workspace, Stream) {
                                seen.push_back(read(DType::f32, workspace, 1)[0]);
                                return Status{};
                              },
                              4}));
  }
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 0.0), 1);
  EXPECT_EQ(std::count_if(seen.begin(), seen.end(), [](double v) { return std::isnan(v); }), 1);
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

TEST_F(WorkbenchTest, PlansOfEveryFormAndLayoutAreRight) {
  test::Draw draw(5);
  std::vector<NormDesc> forms;
  for (int trial = 0; trial < 40; ++trial) {
    forms.push_back(test::draw_form(
        draw.once_in(2) ? test::layer_norm_desc({30, 520}) : test::group_norm_desc({3, 8, 99}, 2),
        draw));
  }
  for (const NormDesc& desc : scattered()) forms.push_back(test::draw_form(desc, draw));
  for (const NormDesc& desc : forms) {
    SCOPED_TRACE(test::to_text(desc));
    for (const Backend* backend : test::target_backends()) {
      const auto plan = test::plan_or_failure(desc, test::target_options(*backend));
      if (!plan) continue;
      load(desc);
      const Verdict verdict = verify(call_of(*plan));
      EXPECT_TRUE(verdict.ok()) << verdict.describe();
      const Result<Verdict> in_place = workbench_->verify_in_place(call_of(*plan));
      ASSERT_EQ(in_place.ok(), workbench_->may_run_in_place());
      if (in_place.ok()) {
        EXPECT_TRUE(in_place.value().ok()) << in_place.value().describe();
      } else {
        EXPECT_EQ(in_place.status().code(), StatusCode::unsupported);
      }
    }
  }
}

TEST_F(WorkbenchTest, AnOverwrittenResidualIsFound) {
  NormDesc desc = test::rms_norm_desc({4, 64});
  desc.residual = Residual::rounded_sum;
  load(desc);
  const Call over_residual{[](const NormArgs& args, void*, Stream) {
                             const float value = 100;
                             target_memory().write(const_cast<void*>(args.residual), &value,
                                                   sizeof value);
                             return Status{};
                           },
                           0};
  EXPECT_EQ(verify(over_residual).damaged, "in residual");
  EXPECT_TRUE(verify(writes(oracle_y())).ok()) << "after the repair";
}

// Few rows of very many elements, and very many of few.
TEST_F(WorkbenchTest, TheLargestTensorsAreWalkedWhole) {
  if (test::target_space() == MemorySpace::host) GTEST_SKIP() << "takes minutes on a host";
  const std::vector<Case> cases = shipped_cases().value();
  for (const char* name : {"overflow_gn_apex1845", "kb1_36_rmsnorm"}) {
    SCOPED_TRACE(name);
    const auto found = std::find_if(cases.begin(), cases.end(),
                                    [&](const Case& workload) { return workload.name == name; });
    ASSERT_NE(found, cases.end());
    const NormDesc desc = to_desc(*found).value();
    const Status loaded = workbench_->load(desc, found->affine, seed);
    if (loaded.code() == StatusCode::out_of_memory) GTEST_SKIP() << loaded.message();
    ASSERT_TRUE(loaded.ok()) << loaded.message();
    const Verdict verdict = verify({[](const NormArgs&, void*, Stream) { return Status{}; }, 0});
    EXPECT_EQ(verdict.violations, Problem::create(desc).value().elements());
    EXPECT_EQ(verdict.damaged, "");
  }
}

TEST_F(WorkbenchTest, CopiesAreMeasuredOnceASize) {
  load(test::group_norm_desc({4, 32, 31, 33}, 8));
  const std::int64_t bytes = 2 * 4 * 32 * 31 * 33 * 4;
  const Result<double> first = workbench_->copy_us(bytes);
  ASSERT_TRUE(first.ok()) << first.status().message();
  EXPECT_GT(first.value(), 0);
  EXPECT_EQ(workbench_->copy_us(bytes).value(), first.value());
  EXPECT_TRUE(workbench_->copy_us(bytes - 5).ok()) << "a size that is no multiple of 16";
  const Result<double> too_much = workbench_->copy_us(bytes + 1);
  ASSERT_FALSE(too_much.ok());
  EXPECT_NE(too_much.status().message().find(std::to_string(bytes)), std::string::npos);
}

// Neither x nor y holds half of what moves.
TEST_F(WorkbenchTest, CopiesOfAsMuchAsACallWithAResidualMoves) {
  NormDesc desc =
      test::with_types(test::layer_norm_desc({64, 1000}), {DType::bf16, DType::f32, DType::bf16});
  desc.residual = Residual::exact_sum;
  load(desc);
  const std::int64_t moved = 64 * 1000 * (2 + 2 + 4);
  const Result<double> us = workbench_->copy_us(moved);
  ASSERT_TRUE(us.ok()) << us.status().message();
  EXPECT_GT(us.value(), 0);
  EXPECT_FALSE(workbench_->copy_us(moved + 2).ok());
  EXPECT_TRUE(verify(writes(oracle_y())).ok()) << "the copies have damaged no tensor";
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
