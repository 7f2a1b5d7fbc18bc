// F06: views into larger tensors, whose bases are aligned to their elements and no better.
#include "support/plans.hpp"
#include "support/tolerance.hpp"
#include "support/trial.hpp"

#include <gtest/gtest.h>

namespace fastnorm::test {
namespace {

class F06Misaligned : public TargetTest {};

TEST_F(F06Misaligned, EachTensorByOneToThreeElements) {
  const NormDesc desc = group_norm_desc({2, 64, 9}, 8);
  std::size_t Offsets::*const tensors[] = {&Offsets::x, &Offsets::y, &Offsets::gamma,
                                           &Offsets::beta};
  Trial aligned(random_trial(desc), target_memory());
  std::vector<double> tolerance = y_tolerance(desc, aligned.setup().inputs, aligned.expected());
  for (double& t : tolerance) t *= 2;  // Both sides may err; a fallback may add up in other order.
  for (const Plan& plan : plans_under_test(desc)) {
    ASSERT_TRUE(run(plan, aligned));
    const std::vector<float> copy = aligned.y();
    for (const auto tensor : tensors) {
      for (std::size_t elements = 1; elements <= 3; ++elements) {
        TrialSetup setup = random_trial(desc);
        setup.offsets.*tensor = elements;
        Trial trial(setup, target_memory());
        ASSERT_TRUE(run(plan, trial)) << "by " << elements << " elements";
        EXPECT_TRUE(all_within("y", trial.y(), {copy.begin(), copy.end()}, tolerance));
      }
    }
  }
}

TEST_F(F06Misaligned, TwoRowsOutOf200) {
  constexpr std::size_t rows = 200;
  constexpr std::size_t first = 123;
  constexpr std::size_t count = 2;
  for (const std::size_t width : {std::size_t{64}, std::size_t{63}}) {
    const NormDesc all = group_norm_desc({rows, static_cast<std::int64_t>(width)}, 1);
    const NormDesc two = group_norm_desc({count, static_cast<std::int64_t>(width)}, 1);
    Trial whole(random_trial(all), target_memory());
    const NormArgs args = whole.args();
    const std::vector<double>& expected = whole.expected().y;
    const std::vector<double> tolerance = y_tolerance(all, whole.setup().inputs, whole.expected());
    for (const Plan& plan : plans_under_test(two)) {
      whole.reset();
      const GarbageWorkspace workspace(target_memory(), plan.workspace_bytes());
      NormArgs view;
      view.x = static_cast<const float*>(args.x) + first * width;
      view.y = static_cast<float*>(args.y) + first * width;
      view.gamma = args.gamma;
      view.beta = args.beta;
      const Status status = plan.execute(view, workspace.data(), workspace.size());
      ASSERT_TRUE(status.ok()) << status.message();

      const std::vector<float> y = whole.y();
      const auto begin = static_cast<std::ptrdiff_t>(first * width);
      const auto end = static_cast<std::ptrdiff_t>((first + count) * width);
      EXPECT_TRUE(all_within("y", {y.begin() + begin, y.begin() + end},
                             {expected.begin() + begin, expected.begin() + end},
                             {tolerance.begin() + begin, tolerance.begin() + end}))
          << plan.describe();
      std::vector<float> others(y.begin(), y.begin() + begin);
      others.insert(others.end(), y.begin() + end, y.end());
      const float poison = std::numeric_limits<float>::quiet_NaN();
      EXPECT_TRUE(
          same_bits("y of the other rows", others, std::vector<float>(others.size(), poison)))
          << plan.describe();
    }
  }
}

}  // namespace
}  // namespace fastnorm::test
