// SPDX-License-Identifier: Apache-2.0
// F14: a NaN or an infinity stays within its own row. (f14_exchanges_test.cpp: where blocks share
// it.)
#include "core/enum_values.hpp"
#include "support/places.hpp"
#include "support/plans.hpp"
#include "support/tolerance.hpp"
#include "support/trial.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace fastnorm::test {
namespace {

class F14Contamination : public TargetTestWithParam<DType> {
 protected:
  static void check(const NormDesc& desc, std::size_t nan_row, std::size_t infinite_row) {
    const std::size_t row_len = logical_shape(desc).row_len();
    Trial clean(random_trial(desc), target_memory());
    const Values& tolerance = clean.tolerance();
    TrialSetup setup = clean.setup();
    setup.inputs.x[nan_row * row_len + 5] = std::numeric_limits<double>::quiet_NaN();
    setup.inputs.x[infinite_row * row_len + 19] = std::numeric_limits<double>::infinity();
    Trial dirty(setup, target_memory());

    for (const Plan& plan : plans_under_test(desc, 8)) {
      SCOPED_TRACE(plan.describe());
      ASSERT_TRUE(run(plan, clean));
      ASSERT_TRUE(execute(plan, dirty));
      const Values expected = clean.y();
      const Values y = dirty.y();
      for (std::size_t i = 0; i < y.size(); ++i) {
        const std::size_t row = i / row_len;
        if (row == nan_row || row == infinite_row) {
          ASSERT_TRUE(std::isnan(y[i])) << "y[" << i << "] is " << y[i];
        } else if (repeats_bit_for_bit(plan)) {
          ASSERT_EQ(y[i], expected[i]) << "y[" << i << "]";
        } else {
          ASSERT_NEAR(y[i], expected[i], 2 * tolerance[i]) << "y[" << i << "]";
        }
      }
    }
  }
};

TEST_P(F14Contamination, OtherGroupsAreAsInACleanRun) {
  check(with_type(group_norm_desc({4, 8, 16}, 4), GetParam()), 1 * 4 + 2, 2 * 4 + 0);
}

TEST_P(F14Contamination, OtherGroupsOfLastChannelsAreAsInACleanRun) {
  check(with_type(channels_last(group_norm_desc({4, 8, 16}, 4)), GetParam()), 1 * 4 + 2, 2 * 4 + 0);
  check(with_type(channels_last(group_norm_desc({4, 64, 49}, 8)), GetParam()), 1 * 8 + 2,
        2 * 8 + 0);
}

TEST_P(F14Contamination, OtherRowsOverChannelsAreAsInACleanRun) {
  check(with_type(over_channels(layer_norm_desc({2, 40, 24})), GetParam()), 3, 44);
}

TEST_P(F14Contamination, OtherRowsAreAsInACleanRun) {
  check(with_type(layer_norm_desc({9, 72}), GetParam()), 3, 4);
}

INSTANTIATE_TEST_SUITE_P(Types, F14Contamination, ::testing::ValuesIn(all_dtypes),
                         [](const auto& info) { return std::string(to_string(info.param)); });

class F14Activations : public TargetTest {};

TEST_F(F14Activations, PassANaN) {
  for (const Activation activation : all_activations) {
    NormDesc desc = layer_norm_desc({3, 40});
    desc.epilogue.activation = activation;
    TrialSetup setup = random_trial(desc);
    setup.inputs.x[45] = std::numeric_limits<double>::quiet_NaN();
    Trial trial(setup, target_memory());
    for (const Plan& plan : plans_under_test(desc, 1)) {
      ASSERT_TRUE(execute(plan, trial));
      const Values y = trial.y();
      for (std::size_t i = 0; i < y.size(); ++i) {
        ASSERT_EQ(std::isnan(y[i]), i / 40 == 1) << plan.describe() << " y[" << i << "]";
      }
    }
  }
}

}  // namespace
}  // namespace fastnorm::test
