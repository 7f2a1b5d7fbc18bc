// F07: channels, positions and groups that no kernel was made for.
#include "support/plans.hpp"
#include "support/trial.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace fastnorm::test {
namespace {

class F07AnyDivisor : public TargetTestWithParam<std::int64_t> {};

TEST_P(F07AnyDivisor, MatchesTheReference) {
  const std::int64_t channels = GetParam();
  for (const std::int64_t positions : {1, 3, 49, 509}) {
    for (const std::int64_t groups : {std::int64_t{1}, std::int64_t{2}, channels}) {
      // As many samples as in the report only where that is no matter of minutes on a host.
      const std::int64_t samples = channels * positions < 20000 ? 33 : 3;
      const NormDesc desc = with_type(
          channels_last(group_norm_desc({samples, channels, positions}, groups)), DType::f16);
      Trial trial(random_trial(desc), target_memory());
      for (const Plan& plan : plans_under_test(desc, 2)) ASSERT_TRUE(run(plan, trial));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Channels, F07AnyDivisor, ::testing::Values(34, 66, 320, 384, 1152, 2304),
                         [](const auto& info) { return std::to_string(info.param); });

}  // namespace
}  // namespace fastnorm::test
