// SPDX-License-Identifier: Apache-2.0
// F09: gamma alone, beta alone, neither. What is absent is 1, or 0.
#include "support/places.hpp"
#include "support/plans.hpp"
#include "support/trial.hpp"

#include <gtest/gtest.h>

namespace fastnorm::test {
namespace {

class F09AffineParts : public TargetTest {
 protected:
  /// Absent and neutral must give equal values: x * 1 + 0 is exact.
  static void check(const NormDesc& desc) {
    for (int present = 0; present < 3; ++present) {
      TrialSetup absent = random_trial(desc);
      absent.statistics = SavedStatistics::none;
      TrialSetup neutral = absent;
      if ((present & 1) == 0) {
        absent.inputs.gamma.reset();
        neutral.inputs.gamma->assign(neutral.inputs.gamma->size(), 1);
      }
      if ((present & 2) == 0) {
        absent.inputs.beta.reset();
        neutral.inputs.beta->assign(neutral.inputs.beta->size(), 0);
      }
      Trial without(absent, target_memory());
      Trial with(neutral, target_memory());
      for (const Plan& plan : plans_under_test(desc)) {
        ASSERT_TRUE(run(plan, without));
        ASSERT_TRUE(run(plan, with));
        if (!repeats_bit_for_bit(plan)) continue;
        EXPECT_EQ(without.y(), with.y()) << plan.describe();
      }
    }
  }
};

TEST_F(F09AffineParts, LayerNormOverAnyNumberOfExtents) {
  for (int normalized_rank = 1; normalized_rank <= 4; ++normalized_rank) {
    check(layer_norm_desc({2, 2, 2, 2}, normalized_rank));
  }
}

TEST_F(F09AffineParts, RmsNorm) { check(rms_norm_desc({2, 2, 2, 2})); }
TEST_F(F09AffineParts, Half) { check(with_type(layer_norm_desc({3, 40}), DType::f16)); }
TEST_F(F09AffineParts, GroupNorm) { check(group_norm_desc({2, 8, 3, 5}, 4)); }
TEST_F(F09AffineParts, GroupNormOfLastChannels) {
  check(channels_last(group_norm_desc({2, 8, 3, 5}, 4)));
  check(with_type(channels_last(group_norm_desc({2, 48, 9}, 4)), DType::f16));
}
TEST_F(F09AffineParts, OverChannels) {
  check(over_channels(layer_norm_desc({2, 3, 5, 8})));
  check(over_channels(rms_norm_desc({2, 64, 24})));
}
TEST_F(F09AffineParts, ManyPositions) { check(channels_last(group_norm_desc({1, 32, 2500}, 4))); }
TEST_F(F09AffineParts, LongRows) { check(group_norm_desc({1, 4, 20000}, 2)); }

}  // namespace
}  // namespace fastnorm::test
