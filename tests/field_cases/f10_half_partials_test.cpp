// F10: sums of elements of 16 bits are not kept in 16 bits, where a row's would drift by its
// values.
#include "support/plans.hpp"
#include "support/trial.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace fastnorm::test {
namespace {

class F10HalfPartials : public TargetTest {
 protected:
  /// Of all rows, the largest relative error of rstd.
  static double worst_rstd(const Trial& trial) {
    const Values rstd = trial.rstd();
    const Values& expected = trial.expected().rstd;
    double worst = 0;
    for (std::size_t row = 0; row < expected.size(); ++row) {
      worst = std::max(worst, std::abs(rstd[row] / expected[row] - 1));
    }
    return worst;
  }
};

TEST_F(F10HalfPartials, NoRowStandsOut) {
  constexpr double a_few_roundings = 1e-6;  // Of fp32; one of bfloat16 is 4e-3.
  for (const NormDesc& shape : {rms_norm_desc({2048, 1024}), layer_norm_desc({2048, 1024}),
                                channels_last(group_norm_desc({4, 64, 64, 64}, 16))}) {
    const NormDesc desc = with_type(shape, DType::bf16);
    const std::vector<Plan> plans = plans_under_test(desc, 2);
    if (plans.empty()) continue;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      TrialSetup setup;
      setup.desc = desc;
      std::mt19937_64 engine(seed);
      std::uniform_real_distribution<double> uniform(0, 1);
      setup.inputs.x.resize(logical_shape(desc).elements());
      std::generate(setup.inputs.x.begin(), setup.inputs.x.end(), [&] { return uniform(engine); });
      Trial trial(setup, target_memory());
      for (const Plan& plan : plans) {
        ASSERT_TRUE(run(plan, trial)) << "seed " << seed;
        EXPECT_LT(worst_rstd(trial), a_few_roundings) << plan.describe() << ", seed " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace fastnorm::test
