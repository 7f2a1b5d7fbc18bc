// SPDX-License-Identifier: Apache-2.0
// F13: no samples, no positions, one element a row.
#include "support/places.hpp"
#include "support/plans.hpp"
#include "support/trial.hpp"

#include <gtest/gtest.h>

namespace fastnorm::test {
namespace {

class F13Degenerate : public TargetTest {
 protected:
  static void expect_nothing_to_do(const NormDesc& desc) {
    const Result<Plan> plan = Plan::create(desc, target_options());
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    EXPECT_EQ(plan.value().workspace_bytes(), 0U);
    EXPECT_TRUE(plan.value().execute({}, nullptr, 0).ok());
    EXPECT_TRUE(normalize(desc, {}, {}, target_options()).ok());
  }
};

TEST_F(F13Degenerate, NoSamples) {
  expect_nothing_to_do(group_norm_desc({0, 8, 5}, 4));
  expect_nothing_to_do(group_norm_desc({0, 8}, 4));
  expect_nothing_to_do(instance_norm_desc({0, 8, 5}));
  expect_nothing_to_do(channels_last(group_norm_desc({0, 8, 5}, 4)));
  expect_nothing_to_do(channels_last(instance_norm_desc({0, 8, 5})));
  expect_nothing_to_do(over_channels(layer_norm_desc({0, 5, 8})));
  expect_nothing_to_do(over_channels(rms_norm_desc({0, 5, 8})));
  expect_nothing_to_do(layer_norm_desc({0, 8}));
  expect_nothing_to_do(layer_norm_desc({4, 0, 8}));
}

TEST_F(F13Degenerate, NoPositions) {
  expect_nothing_to_do(group_norm_desc({2, 8, 0}, 4));
  expect_nothing_to_do(group_norm_desc({2, 8, 5, 0, 7}, 4));
  expect_nothing_to_do(channels_last(group_norm_desc({2, 8, 0}, 4)));
  expect_nothing_to_do(channels_last(group_norm_desc({2, 8, 5, 0, 7}, 4)));
}

TEST_F(F13Degenerate, NoPositionsStillCheckTheDescriptor) {
  EXPECT_EQ(Plan::create(group_norm_desc({2, 8, 0}, 3), target_options()).status().code(),
            StatusCode::invalid_argument);
}

// x - mean is exactly 0, whatever x and gamma are.
TEST_F(F13Degenerate, OneElementARowIsBeta) {
  for (const NormDesc& shape :
       {group_norm_desc({5, 1}, 1), layer_norm_desc({5, 1}),
        channels_last(group_norm_desc({5, 1}, 1)), channels_last(group_norm_desc({5, 8, 1}, 8)),
        over_channels(layer_norm_desc({5, 7, 1}))}) {
    const LogicalShape logical = logical_shape(shape);
    for (const DType type : {DType::f32, DType::bf16, DType::f64}) {  // f16 has no 1e6
      TrialSetup setup;
      setup.desc = with_type(shape, type);
      setup.inputs = {Values(logical.elements(), 1e6), Values(logical.c, 123),
                      Values(logical.c, 3)};
      Trial trial(setup, target_memory());
      for (const Plan& plan : plans_under_test(setup.desc)) {
        ASSERT_TRUE(run(plan, trial));
        EXPECT_EQ(trial.y(), Values(logical.elements(), 3)) << plan.describe();
      }
    }
  }
}

}  // namespace
}  // namespace fastnorm::test
