// SPDX-License-Identifier: Apache-2.0
// F05: channels per group and spatial extents that no vector width or warp divides.
#include "support/plans.hpp"
#include "support/random.hpp"
#include "support/trial.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace fastnorm::test {
namespace {

class F05OddWidths : public TargetTest {
 protected:
  static void check(const NormDesc& desc, float mean) {
    TrialSetup setup;
    setup.desc = desc;
    setup.inputs.x = normal_tensor(logical_shape(desc).elements(), 5, mean);
    Trial trial(setup, target_memory());
    for (const Plan& plan : plans_under_test(desc)) {
      ASSERT_TRUE(run(plan, trial));
      check_moments(desc, trial.y());
    }
  }

 private:
  /// Correlation with the reference would not see a wrong scale; the moments of y do.
  static void check_moments(const NormDesc& desc, const Values& y) {
    const LogicalShape shape = logical_shape(desc);
    const std::size_t length = shape.row_len();
    for (std::size_t first = 0; first < y.size(); first += length) {
      double sum = 0;
      double squares = 0;
      for (std::size_t i = first; i < first + length; ++i) {
        sum += y[i];
        squares += y[i] * y[i];
      }
      EXPECT_NEAR(sum / static_cast<double>(length), 0, 1e-4);
      EXPECT_NEAR(std::sqrt(squares / static_cast<double>(length)), 1, 1e-4);
    }
  }
};

TEST_F(F05OddWidths, ThreeChannelsAGroup) { check(group_norm_desc({1, 48, 32, 32}, 16), 0); }
TEST_F(F05OddWidths, SevenBySevenMean100) { check(group_norm_desc({1, 64, 7, 7}, 32), 100); }
TEST_F(F05OddWidths, ThreeChannelsAGroupLast) {
  check(channels_last(group_norm_desc({1, 48, 32, 32}, 16)), 0);
}
TEST_F(F05OddWidths, SevenBySevenLastMean100) {
  check(channels_last(group_norm_desc({1, 64, 7, 7}, 32)), 100);
}
TEST_F(F05OddWidths, Rows1536Mean100) { check(group_norm_desc({4, 1536}, 1), 100); }
TEST_F(F05OddWidths, LayerNorm1536Mean100) { check(layer_norm_desc({4, 1536}), 100); }

}  // namespace
}  // namespace fastnorm::test
