// SPDX-License-Identifier: Apache-2.0
// F07: channels, positions and groups that no kernel was made for.
#include "support/places.hpp"
#include "support/plans.hpp"
#include "support/trial.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace fastnorm::test {
namespace {

NormDesc last_channels(const Extents& extents, std::int64_t groups) {
  return with_type(channels_last(group_norm_desc(extents, groups)), DType::f16);
}

void check(const NormDesc& desc) {
  SCOPED_TRACE(to_text(desc));
  Trial trial(random_trial(desc), target_memory());
  for (const Plan& plan : plans_under_test(desc, 2)) ASSERT_TRUE(run(plan, trial));
}

class F07AnyDivisor : public TargetTestWithParam<std::int64_t> {};

TEST_P(F07AnyDivisor, MatchesTheReference) {
  const std::int64_t channels = GetParam();
  for (const std::int64_t positions : {1, 3, 49, 509}) {
    for (const std::int64_t groups : {std::int64_t{1}, std::int64_t{2}, channels}) {
      // As many samples as in the report only where that is no matter of minutes on a host.
      const std::int64_t samples = channels * positions < 20000 ? 33 : 3;
      check(last_channels({samples, channels, positions}, groups));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Channels, F07AnyDivisor, ::testing::Values(34, 66, 320, 384, 1152, 2304),
                         [](const auto& info) { return std::to_string(info.param); });

// One channel, and more than the threads of a block can lie over.
class F07FewestAndMostChannels : public TargetTestWithParam<NormDesc> {};

TEST_P(F07FewestAndMostChannels, MatchesTheReference) { check(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Channels, F07FewestAndMostChannels,
    ::testing::Values(last_channels({33, 1, 1}, 1), last_channels({33, 1, 509}, 1),
                      last_channels({3, 1, 65537}, 1), last_channels({2, 65536, 3}, 65536),
                      last_channels({2, 65536, 3}, 8192), last_channels({2, 65536, 3}, 32),
                      last_channels({2, 65536, 3}, 1), last_channels({2, 65535, 3}, 255),
                      over_channels(layer_norm_desc({2, 3, 65536})),
                      over_channels(layer_norm_desc({1, 8, 65536})),
                      over_channels(rms_norm_desc({1, 16, 65535}))),
    [](const auto& info) { return to_identifier(info.param); });

}  // namespace
}  // namespace fastnorm::test
