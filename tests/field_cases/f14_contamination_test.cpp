// F14: a NaN or an infinity stays within its own group.
#include "support/plans.hpp"
#include "support/tolerance.hpp"
#include "support/trial.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace fastnorm::test {
namespace {

class F14Contamination : public TargetTest {};

TEST_F(F14Contamination, OtherGroupsAreAsInACleanRun) {
  const NormDesc desc = group_norm_desc({4, 8, 16}, 4);
  constexpr std::size_t row_len = 2 * 16;
  constexpr std::size_t nan_row = 1 * 4 + 2;
  constexpr std::size_t infinite_row = 2 * 4 + 0;

  Trial clean(random_trial(desc), target_memory());
  const std::vector<double> tolerance = y_tolerance(desc, clean.setup().inputs, clean.expected());
  TrialSetup setup = clean.setup();
  setup.inputs.x[nan_row * row_len + 5] = std::numeric_limits<float>::quiet_NaN();
  setup.inputs.x[infinite_row * row_len + 19] = std::numeric_limits<float>::infinity();
  Trial dirty(setup, target_memory());

  for (const Plan& plan : plans_under_test(desc, 8)) {
    SCOPED_TRACE(plan.describe());
    ASSERT_TRUE(run(plan, clean));
    dirty.reset();
    const GarbageWorkspace workspace(target_memory(), plan.workspace_bytes());
    const Status status = plan.execute(dirty.args(), workspace.data(), workspace.size());
    ASSERT_TRUE(status.ok()) << status.message();

    const std::vector<float> expected = clean.y();
    const std::vector<float> y = dirty.y();
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

}  // namespace
}  // namespace fastnorm::test
