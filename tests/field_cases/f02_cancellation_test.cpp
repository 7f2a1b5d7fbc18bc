// SPDX-License-Identifier: Apache-2.0
// F02: a spread that is small against the mean; E[x^2] - E[x]^2 in fp32 loses all of it.
#include "support/plans.hpp"
#include "support/tolerance.hpp"
#include "support/trial.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace fastnorm::test {
namespace {

class F02Cancellation : public TargetTest {
 protected:
  /// A row of its own, once as each operation has it.
  static std::vector<TrialSetup> rows(const Values& x) {
    const auto length = static_cast<std::int64_t>(x.size());
    std::vector<TrialSetup> setups;
    for (const NormDesc& desc : {group_norm_desc({1, length}, 1), layer_norm_desc({1, length})}) {
      TrialSetup setup;
      setup.desc = desc;
      setup.inputs.x = x;
      setups.push_back(std::move(setup));
    }
    return setups;
  }

  /// Whether y is this to within the tolerance, with every plan.
  static void expect_y(const Values& x, const Values& expected) {
    for (const TrialSetup& setup : rows(x)) {
      Trial trial(setup, target_memory());
      for (const Plan& plan : plans_under_test(setup.desc)) {
        ASSERT_TRUE(run(plan, trial));
        EXPECT_TRUE(all_within("y", trial.y(), expected, trial.tolerance())) << plan.describe();
      }
    }
  }
};

TEST_F(F02Cancellation, ConsecutiveNumbersNear40000) {
  expect_y({40000, 40001, 40002, 40003}, {-1.341635, -0.447212, 0.447212, 1.341635});
}

TEST_F(F02Cancellation, StepsOfAThousandthOnLargeMeans) {
  const std::pair<double, double> cases[] = {
      {100, -1.341528}, {1000, -1.341508}, {10000, -1.331333}};
  for (const auto& [mean, first] : cases) {
    Values x;
    for (int i = 0; i < 16; ++i) x.push_back(mean + i * 1e-3);
    for (const TrialSetup& setup : rows(x)) {
      Trial trial(setup, target_memory());
      EXPECT_NEAR(trial.expected().y[0], first, 1e-6);
      for (const Plan& plan : plans_under_test(setup.desc)) EXPECT_TRUE(run(plan, trial));
    }
  }
}

TEST_F(F02Cancellation, ConstantRowIsZero) { expect_y(Values(256, 1234), Values(256, 0)); }

// An image below a bar of another value: what comes first says nothing of the rest.
TEST_F(F02Cancellation, FirstPositionsUnlikeTheRest) {
  TrialSetup setup;
  setup.desc = channels_last(group_norm_desc({1, 64, 256, 128}, 8));
  for (std::size_t i = 0; i < logical_shape(setup.desc).elements(); ++i) {
    setup.inputs.x.push_back(i % (256 * 128) < 128 ? 0 : 7.3);
  }
  Trial trial(setup, target_memory());
  for (const Plan& plan : plans_under_test(setup.desc, 8)) EXPECT_TRUE(run(plan, trial));
}

// The same in rows long enough to be split, whose partials must not be merged by plain sums either.
TEST_F(F02Cancellation, LongRowsFarFromZero) {
  for (const NormDesc& desc : {group_norm_desc({2, 4, 30011}, 2), layer_norm_desc({3, 60022})}) {
    TrialSetup setup;
    setup.desc = desc;
    for (std::size_t i = 0; i < logical_shape(desc).elements(); ++i) {
      setup.inputs.x.push_back(3000 + static_cast<double>(i % 17) * 1e-2);
    }
    Trial trial(setup, target_memory());
    for (const Plan& plan : plans_under_test(desc)) EXPECT_TRUE(run(plan, trial));
  }
}

/// A row of two values, the higher of which one element in so many has: its mean is so many
/// deviations, to within what the narrowest type makes of the values.
struct MeanInDeviations {
  double deviations;
  double low;
  double high;
  std::size_t one_in;
};

// Kernels that fold the mean into the offset do so up to 2 deviations, and up to 256 where x and y
// are both of half width.
constexpr MeanInDeviations means_around_limits[] = {
    {0.5, -0.5, 1.5, 2}, {1, 0, 2, 2},       {1.9, 0.9, 2.9, 2},
    {2.1, 1.1, 3.1, 2},  {4, 3, 5, 2},       {100, 99, 101, 2},
    {255, 254, 256, 2},  {257, 256, 258, 2}, {1000, 1000, 1004, 15}};

/// Each of them is a row, and once more with the other sign.
TrialSetup rows_around_limits(const NormDesc& desc) {
  TrialSetup setup = random_trial(desc);
  const std::size_t row_len = logical_shape(desc).row_len();
  setup.inputs.x.clear();
  for (const MeanInDeviations& row : means_around_limits) {
    for (const double sign : {1.0, -1.0}) {
      for (std::size_t i = 0; i < row_len; ++i) {
        setup.inputs.x.push_back(sign * (i % row.one_in == 0 ? row.high : row.low));
      }
    }
  }
  return setup;
}

TEST_F(F02Cancellation, MeansAroundWhatMayBeFoldedIntoTheOffset) {
  constexpr auto count = static_cast<std::int64_t>(2 * std::size(means_around_limits));
  // Short enough for a warp and long enough to be split, where each element has a gamma of its own
  // and where many share one.
  const NormDesc shapes[] = {layer_norm_desc({count, 510}), layer_norm_desc({count, 20011}),
                             group_norm_desc({count / 2, 8, 105}, 2),
                             group_norm_desc({count / 2, 8, 4999}, 2)};
  for (const NormDesc& shape : shapes) {
    for (const Types& types : offered_types()) {
      const NormDesc desc = with_types(shape, types);
      SCOPED_TRACE(to_text(desc));
      const std::vector<Plan> plans = plans_under_test(desc);
      if (plans.empty()) continue;
      Trial trial(rows_around_limits(desc), target_memory());
      for (std::size_t row = 0; row < static_cast<std::size_t>(count); ++row) {
        const double wanted = means_around_limits[row / 2].deviations;
        const double deviations = std::abs(trial.expected().mean[row]) * trial.expected().rstd[row];
        ASSERT_NEAR(deviations, wanted, 0.003 * wanted) << "the row is not what it is to be";
      }
      for (const Plan& plan : plans) EXPECT_TRUE(run(plan, trial)) << plan.describe();
    }
  }
}

// A shift taken from one element must not be the outlier's.
TEST_F(F02Cancellation, OneOutlierInARow) {
  for (const std::size_t place : {std::size_t{0}, std::size_t{1}, std::size_t{5000}}) {
    TrialSetup setup = random_trial(group_norm_desc({1, 1, 10007}, 1));
    setup.inputs.x[place] = 1e6;
    Trial trial(setup, target_memory());
    for (const Plan& plan : plans_under_test(setup.desc)) {
      EXPECT_TRUE(run(plan, trial)) << "outlier at " << place;
    }
  }
}

}  // namespace
}  // namespace fastnorm::test
