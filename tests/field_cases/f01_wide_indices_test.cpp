// SPDX-License-Identifier: Apache-2.0
// F01: more elements than 32 bits count.
#include "field_cases/patterned_tensors.hpp"
#include "support/plans.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace fastnorm::test {
namespace {

class F01WideIndices : public TargetTest {
 protected:
  /// By each strategy's default.
  static void check(const NormDesc& desc) {
    if (const std::string why = PatternedTensors::why_no_room(desc); !why.empty()) {
      GTEST_SKIP() << why;
    }
    const PatternedTensors tensors(desc);
    std::set<std::string> seen;
    for (const Plan& plan : plans_under_test(desc, 1)) {
      // The heuristic's choice is one of the strategies' defaults.
      if (!seen.insert(plan.strategy() + plan.config()).second) continue;
      ASSERT_NO_FATAL_FAILURE(tensors.expect_right(plan));
    }
  }
};

TEST_F(F01WideIndices, LayerNormOfMoreThanFourBillionElements) {
  check(with_type(layer_norm_desc({65537, 65536}), DType::f16));
}

TEST_F(F01WideIndices, ChannelsLastGroupNormOfMoreThanTwoBillionElements) {
  check(with_type(channels_last(group_norm_desc({1, 128, 16128, 1200}, 32)), DType::bf16));
}

}  // namespace
}  // namespace fastnorm::test
