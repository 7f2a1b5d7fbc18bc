// SPDX-License-Identifier: Apache-2.0
// F41: a sum that its type cannot hold. Whether the rounded or the unrounded one is normalised is
// the descriptor's choice, and no strategy's.
#include "support/places.hpp"
#include "support/plans.hpp"
#include "support/tolerance.hpp"
#include "support/trial.hpp"

#include <gtest/gtest.h>

namespace fastnorm::test {
namespace {

class F41ResidualRounding : public TargetTest {
 protected:
  /// x = 512, to which 0 and 1 are added in turn; as bf16 both sums are 512.
  static void check(Residual residual, double even, double odd) {
    for (const NormDesc& shape : {layer_norm_desc({3, 128}), layer_norm_desc({3, 20000}),
                                  channels_last(group_norm_desc({3, 16, 64}, 2)),
                                  channels_last(group_norm_desc({1, 32, 2500}, 4)),
                                  over_channels(layer_norm_desc({3, 64, 128}))}) {
      NormDesc desc = with_type(shape, DType::bf16);
      desc.residual = residual;
      TrialSetup setup;
      setup.desc = desc;
      setup.sum = SumOutput::separate;  // the trial compares it to the bit
      setup.inputs.x = Values(logical_shape(desc).elements(), 512);
      setup.inputs.residual = Values();
      Values expected;
      for (std::size_t i = 0; i < setup.inputs.x.size(); ++i) {
        setup.inputs.residual->push_back(static_cast<double>(i % 2));
        expected.push_back(i % 2 == 0 ? even : odd);
      }
      Trial trial(setup, target_memory());
      ASSERT_EQ(trial.expected().sum, Values(expected.size(), 512));
      for (const Plan& plan : plans_under_test(desc)) {
        ASSERT_TRUE(run(plan, trial));
        EXPECT_TRUE(all_within("y", trial.y(), expected, trial.tolerance())) << plan.describe();
      }
    }
  }
};

TEST_F(F41ResidualRounding, TheRoundedSumIsConstant) { check(Residual::rounded_sum, 0, 0); }
TEST_F(F41ResidualRounding, TheUnroundedSumIsNot) { check(Residual::exact_sum, -1, 1); }

}  // namespace
}  // namespace fastnorm::test
