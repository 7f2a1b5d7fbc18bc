// F03: squares beyond the range of the input's type, or of the accumulation.
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
  expect_y(with_type(rms_norm_desc({3, 4096}), DType::f16), Values(3 * 4096, 8192),
           Values(3 * 4096, 1));
}

TEST_F(F03Overflow, AlternatingNearTheEndOfHalf) {
  const NormDesc desc = with_type(group_norm_desc({2, 8, 64}, 2), DType::f16);
  Values x;
  Values expected;
  for (std::size_t i = 0; i < logical_shape(desc).elements(); ++i) {
    x.push_back(i % 2 == 0 ? 60000 : -60000);
    expected.push_back(i % 2 == 0 ? 1 : -1);
  }
  expect_y(desc, x, expected);
}

// Documented in NormDesc: NaN, rather than the zeros that an infinite variance would give. A back
// end that sums in more than the accumulation type has the right values instead; no other.
TEST_F(F03Overflow, AVarianceBeyondTheAccumulationGivesNaN) {
  for (const NormDesc& desc : {layer_norm_desc({2, 4}), rms_norm_desc({2, 4})}) {
    TrialSetup setup;
    setup.desc = desc;
    setup.inputs.x = {-2e30, -1e30, 1e30, 2e30, -2, -1, 1, 2};
    Trial trial(setup, target_memory());
    const Values& tolerance = trial.tolerance();
    for (const Plan& plan : plans_under_test(desc)) {
      ASSERT_TRUE(execute(plan, trial));
      Values y = trial.y();
      const bool all_nan =
          std::all_of(y.begin(), y.begin() + 4, [](double value) { return std::isnan(value); });
      if (all_nan) std::copy_n(trial.expected().y.begin(), 4, y.begin());
      EXPECT_TRUE(all_within("y", y, trial.expected().y, tolerance)) << plan.describe();
      EXPECT_TRUE(all_nan || plan.backend() != "cuda") << plan.describe();
    }
  }
}

}  // namespace
}  // namespace fastnorm::test
