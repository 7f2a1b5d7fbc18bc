// SPDX-License-Identifier: Apache-2.0
// F06: views into larger tensors, whose bases are aligned to their elements and no better.
#include "support/plans.hpp"
#include "support/tolerance.hpp"
#include "support/trial.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

namespace fastnorm::test {
namespace {

class F06Misaligned : public TargetTestWithParam<DType> {};

TEST_P(F06Misaligned, EachTensorByOneToThreeElements) {
  std::size_t Offsets::*const tensors[] = {&Offsets::x, &Offsets::y, &Offsets::gamma,
                                           &Offsets::beta};
  for (const NormDesc& shape :
       {group_norm_desc({2, 64, 9}, 8), channels_last(group_norm_desc({2, 64, 9}, 8)),
        layer_norm_desc({5, 64})}) {
    const NormDesc desc = with_type(shape, GetParam());
    Trial aligned(random_trial(desc), target_memory());
    Values tolerance = aligned.tolerance();
    for (double& t : tolerance) t *= 2;  // Both sides may err; a fallback may add in other order.
    for (const Plan& plan : plans_under_test(desc)) {
      ASSERT_TRUE(run(plan, aligned));
      const Values copy = aligned.y();
      for (const auto tensor : tensors) {
        for (std::size_t elements = 1; elements <= 3; ++elements) {
          TrialSetup setup = random_trial(desc);
          setup.offsets.*tensor = elements;
          Trial trial(setup, target_memory());
          ASSERT_TRUE(run(plan, trial)) << "by " << elements << " elements";
          EXPECT_TRUE(all_within("y", trial.y(), copy, tolerance));
        }
      }
    }
  }
}

Values slice(const Values& values, std::size_t begin, std::size_t end) {
  return {values.begin() + static_cast<std::ptrdiff_t>(begin),
          values.begin() + static_cast<std::ptrdiff_t>(end)};
}

TEST_P(F06Misaligned, TwoRowsOutOf200) {
  constexpr std::size_t rows = 200;
  constexpr std::size_t first = 123;
  constexpr std::size_t count = 2;
  const DType type = GetParam();
  for (const std::size_t width : {std::size_t{64}, std::size_t{63}}) {
    const auto length = static_cast<std::int64_t>(width);
    const NormDesc all = with_type(layer_norm_desc({rows, length}), type);
    const NormDesc two = with_type(layer_norm_desc({count, length}), type);
    Trial whole(random_trial(all), target_memory());
    const NormArgs args = whole.args();
    const std::size_t begin = first * width;
    const std::size_t end = begin + count * width;
    const Values expected = slice(whole.expected().y, begin, end);
    const Values tolerance = slice(whole.tolerance(), begin, end);
    for (const Plan& plan : plans_under_test(two)) {
      whole.reset();
      const GarbageWorkspace workspace(target_memory(), plan.workspace_bytes());
      NormArgs view;
      view.x = static_cast<const std::uint8_t*>(args.x) + begin * size_of(type);
      view.y = static_cast<std::uint8_t*>(args.y) + begin * size_of(type);
      view.gamma = args.gamma;
      view.beta = args.beta;
      const Status status = plan.execute(view, workspace.data(), workspace.size());
      ASSERT_TRUE(status.ok()) << status.message();

      const Values y = whole.y();
      EXPECT_TRUE(all_within("y", slice(y, begin, end), expected, tolerance)) << plan.describe();
      Values others = slice(y, 0, begin);
      const Values after = slice(y, end, y.size());
      others.insert(others.end(), after.begin(), after.end());
      const double poison = std::numeric_limits<double>::quiet_NaN();
      EXPECT_TRUE(same_bits("y of the other rows", others, Values(others.size(), poison)))
          << plan.describe();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, F06Misaligned, ::testing::Values(DType::f32, DType::f16),
                         [](const auto& info) { return std::string(to_string(info.param)); });

}  // namespace
}  // namespace fastnorm::test
