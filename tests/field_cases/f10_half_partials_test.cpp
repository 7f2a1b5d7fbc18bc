// SPDX-License-Identifier: Apache-2.0
// F10: sums of elements of 16 bits are not kept in 16 bits, where a row's would drift by its
// values.
#include "support/guarded_buffer.hpp"
#include "support/guarded_tensor.hpp"
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
  static constexpr double a_few_roundings = 1e-6;  // Of fp32; one of bfloat16 is 4e-3.

  static TrialSetup uniform_trial(const NormDesc& desc, std::uint64_t seed) {
    TrialSetup setup;
    setup.desc = desc;
    std::mt19937_64 engine(seed);
    std::uniform_real_distribution<double> uniform(0, 1);
    setup.inputs.x.resize(logical_shape(desc).elements());
    std::generate(setup.inputs.x.begin(), setup.inputs.x.end(), [&] { return uniform(engine); });
    return setup;
  }

  /// Of all rows, the largest relative error of rstd. What is expected comes again and again.
  static double worst_error(const Values& rstd, const Values& expected) {
    double worst = 0;
    for (std::size_t row = 0; row < rstd.size(); ++row) {
      worst = std::max(worst, std::abs(rstd[row] / expected[row % expected.size()] - 1));
    }
    return worst;
  }
};

TEST_F(F10HalfPartials, NoRowStandsOut) {
  for (const NormDesc& shape : {rms_norm_desc({2048, 1024}), layer_norm_desc({2048, 1024}),
                                channels_last(group_norm_desc({4, 64, 64, 64}, 16))}) {
    const NormDesc desc = with_type(shape, DType::bf16);
    const std::vector<Plan> plans = plans_under_test(desc, 2);
    if (plans.empty()) continue;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      Trial trial(uniform_trial(desc, seed), target_memory());
      for (const Plan& plan : plans) {
        ASSERT_TRUE(run(plan, trial)) << "seed " << seed;
        EXPECT_LT(worst_error(trial.rstd(), trial.expected().rstd), a_few_roundings)
            << plan.describe() << ", seed " << seed;
      }
    }
  }
}

// Of as many samples as in the report. Four are drawn, and follow each other again and again: what
// is expected of them is known without a reference of them all.
TEST_F(F10HalfPartials, NoRowOf256SamplesStandsOut) {
  constexpr std::int64_t samples = 256;
  constexpr std::int64_t drawn = 4;
  const auto desc_of = [](std::int64_t count) {
    return with_type(channels_last(group_norm_desc({count, 64, 64, 64}, 16)), DType::bf16);
  };
  TrialSetup setup = uniform_trial(desc_of(drawn), 1);
  setup.statistics = SavedStatistics::none;
  Trial judge(setup, target_memory());  // Of four samples' y.
  const std::size_t bytes = setup.inputs.x.size() * size_of(DType::bf16);
  std::vector<std::uint8_t> period(bytes);
  target_memory().read(period.data(), judge.args().x, bytes);

  GuardedBuffer<std::uint8_t> x(target_memory(), samples / drawn * bytes);
  GuardedBuffer<std::uint8_t> y(target_memory(), x.size());
  GuardedTensor rstd(target_memory(), DType::f32, samples * 16);
  for (std::size_t at = 0; at < x.size(); at += bytes) {
    target_memory().write(x.data() + at, period.data(), bytes);
  }
  NormArgs args;
  args.x = x.data();
  args.y = y.data();
  args.rstd = rstd.data();
  for (const Plan& plan : plans_under_test(desc_of(samples), 0)) {
    SCOPED_TRACE(plan.describe());
    y.write(std::vector<std::uint8_t>(y.size(), 0xFF));  // NaN.
    rstd.poison();
    const GarbageWorkspace workspace(target_memory(), plan.workspace_bytes());
    const Status status = plan.execute(args, workspace.data(), workspace.size());
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_LT(worst_error(rstd.read(), judge.expected().rstd), a_few_roundings);
    EXPECT_TRUE(y.canaries_intact());
    const std::vector<std::uint8_t> all = y.read();
    std::vector<std::uint8_t> right;  // The last that was found to be.
    for (std::size_t at = 0; at < all.size(); at += bytes) {
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(at);
      if (std::equal(right.begin(), right.end(), begin) && !right.empty()) continue;
      right.assign(begin, begin + static_cast<std::ptrdiff_t>(bytes));
      target_memory().write(judge.args().y, right.data(), bytes);
      ASSERT_TRUE(judge.check()) << "from byte " << at << " on";
    }
  }
}

}  // namespace
}  // namespace fastnorm::test
