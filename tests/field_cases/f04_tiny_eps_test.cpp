// SPDX-License-Identifier: Apache-2.0
// F04: an eps that half precision would take for 0, with nothing but eps under the root.
#include "support/places.hpp"
#include "support/plans.hpp"
#include "support/trial.hpp"

#include <gtest/gtest.h>

namespace fastnorm::test {
namespace {

class F04TinyEps : public TargetTestWithParam<NormDesc> {};

TEST_P(F04TinyEps, AConstantZeroIsBeta) {
  for (const DType type : {DType::f16, DType::f32}) {
    TrialSetup setup = random_trial(with_type(GetParam(), type));
    const bool has_beta = setup.desc.op != Op::rms_norm;
    if (!has_beta) setup.inputs.beta.reset();
    setup.inputs.x.assign(setup.inputs.x.size(), 0);
    Trial trial(setup, target_memory());
    for (const Plan& plan : plans_under_test(setup.desc)) {
      ASSERT_TRUE(run(plan, trial));
      const Values y = trial.y();
      const LogicalShape shape = logical_shape(setup.desc);
      for (std::size_t i = 0; i < y.size(); ++i) {
        const double beta =
            has_beta ? rounded(type, (*setup.inputs.beta)[i / shape.spatial % shape.c]) : 0;
        EXPECT_EQ(y[i], beta) << plan.describe() << " y[" << i << "]";
      }
      for (const double rstd : trial.rstd()) EXPECT_NEAR(rstd, 1e6, 1) << plan.describe();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Operations, F04TinyEps,
                         ::testing::Values(layer_norm_desc({4, 10}, 1, 1e-12),
                                           group_norm_desc({4, 10}, 2, 1e-12),
                                           rms_norm_desc({4, 10}, 1, 1e-12),
                                           channels_last(group_norm_desc({4, 10, 6}, 2, 1e-12)),
                                           channels_last(group_norm_desc({4, 80, 6}, 8, 1e-12)),
                                           over_channels(layer_norm_desc({4, 6, 10}, 1, 1e-12)),
                                           over_channels(rms_norm_desc({4, 64, 10}, 1, 1e-12))),
                         [](const auto& info) { return to_identifier(info.param); });

}  // namespace
}  // namespace fastnorm::test
