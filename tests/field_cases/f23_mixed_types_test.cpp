// SPDX-License-Identifier: Apache-2.0
// F23: gamma and beta in another type than x.
#include "support/places.hpp"
#include "support/plans.hpp"
#include "support/trial.hpp"

#include <gtest/gtest.h>

#include <string>

namespace fastnorm::test {
namespace {

class F23MixedTypes : public TargetTest {};

TEST_F(F23MixedTypes, FloatParametersBesideEveryTypeOfX) {
  for (const NormDesc& shape :
       {layer_norm_desc({5, 1000}), group_norm_desc({2, 12, 33}, 3), rms_norm_desc({7, 256}),
        channels_last(group_norm_desc({2, 12, 33}, 3)),
        channels_last(group_norm_desc({2, 48, 500}, 4)),
        over_channels(layer_norm_desc({2, 64, 40})), over_channels(rms_norm_desc({2, 33, 12}))}) {
    for (const DType x : {DType::bf16, DType::f16, DType::f64}) {
      const NormDesc desc = with_types(shape, {x, x, DType::f32});
      Trial trial(random_trial(desc), target_memory());
      for (const Plan& plan : plans_under_test(desc)) EXPECT_TRUE(run(plan, trial));
    }
  }
}

TEST_F(F23MixedTypes, WhatIsNotOfferedIsRefusedWithBothTypes) {
  const NormDesc desc =
      with_types(layer_norm_desc({5, 1000}), {DType::bf16, DType::bf16, DType::f64});
  const Status status = Plan::create(desc, target_options()).status();
  EXPECT_EQ(status.code(), StatusCode::unsupported);
  EXPECT_NE(status.message().find("bf16"), std::string::npos) << status.message();
  EXPECT_NE(status.message().find("f64"), std::string::npos) << status.message();
}

}  // namespace
}  // namespace fastnorm::test
