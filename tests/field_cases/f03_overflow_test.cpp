// SPDX-License-Identifier: Apache-2.0
// F03: squares beyond the range of the input's type, or of the accumulation.
#include "support/places.hpp"
#include "support/plans.hpp"
#include "support/tolerance.hpp"
#include "support/trial.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace fastnorm::test {
namespace {

class F03Overflow : public TargetTest {
 protected:
  static void expect_y(const NormDesc& desc, const Values& x, const Values& expected) {
    TrialSetup setup;
    setup.desc = desc;
    setup.inputs.x = x;
    Trial trial(setup, target_memory());
    for (const Plan& plan : plans_under_test(desc)) {
      ASSERT_TRUE(run(plan, trial));
      EXPECT_TRUE(all_within("y", trial.y(), expected, trial.tolerance())) << plan.describe();
    }
  }
};

TEST_F(F03Overflow, SquaresBeyondHalf) {
  for (const NormDesc& rows :
       {rms_norm_desc({3, 4096}), over_channels(rms_norm_desc({1, 8, 4096}))}) {
    const std::size_t elements = logical_shape(rows).elements();
    expect_y(with_type(rows, DType::f16), Values(elements, 8192), Values(elements, 1));
  }
}

TEST_F(F03Overflow, AlternatingNearTheEndOfHalf) {
  const NormDesc shape = with_type(group_norm_desc({2, 8, 64}, 2), DType::f16);
  for (const NormDesc& desc : {shape, channels_last(shape)}) {
    Values x;
    Values expected;
    for (std::size_t i = 0; i < logical_shape(desc).elements(); ++i) {
      x.push_back(i % 2 == 0 ? 60000 : -60000);
      expected.push_back(i % 2 == 0 ? 1 : -1);
    }
    expect_y(desc, x, expected);
  }
}

// Documented in NormDesc: NaN, rather than the zeros that an infinite variance would give. A back
// end that sums in more than the accumulation type has the right values instead; no other.
TEST_F(F03Overflow, AVarianceBeyondTheAccumulationGivesNaN) {
  for (const NormDesc& desc :
       {layer_norm_desc({2, 4}), rms_norm_desc({2, 4}),
        channels_last(group_norm_desc({1, 8, 2}, 4)),
        channels_last(group_norm_desc({3, 16, 32}, 4)), over_channels(layer_norm_desc({1, 8, 64})),
        over_channels(rms_norm_desc({1, 8, 64}))}) {
    constexpr double pattern[] = {-2, -1, 1, 2};
    const auto row_len = static_cast<std::ptrdiff_t>(logical_shape(desc).row_len());
    TrialSetup setup;
    setup.desc = desc;
    for (std::size_t i = 0; i < logical_shape(desc).elements(); ++i) {
      const bool is_first_row = i < logical_shape(desc).row_len();
      setup.inputs.x.push_back(pattern[i % 4] * (is_first_row ? 1e30 : 1));
    }
    Trial trial(setup, target_memory());
    const Values& tolerance = trial.tolerance();
    for (const Plan& plan : plans_under_test(desc)) {
      ASSERT_TRUE(execute(plan, trial));
      Values y = trial.y();
      const bool all_nan = std::all_of(y.begin(), y.begin() + row_len,
                                       [](double value) { return std::isnan(value); });
      if (all_nan) std::copy_n(trial.expected().y.begin(), row_len, y.begin());
      EXPECT_TRUE(all_within("y", y, trial.expected().y, tolerance)) << plan.describe();
      EXPECT_TRUE(all_nan || plan.backend() != "cuda") << plan.describe();
    }
  }
}

}  // namespace
}  // namespace fastnorm::test
