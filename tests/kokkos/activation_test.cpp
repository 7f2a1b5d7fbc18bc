// SPDX-License-Identifier: Apache-2.0
// Against the definitions in double.
#include "backends/kokkos/activation.hpp"

#include "core/enum_values.hpp"
#include "measure/reference.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace fastnorm::kokkos {
namespace {

Epilogue epilogue_of(Activation activation) {
  Epilogue epilogue;
  epilogue.activation = activation;
  epilogue.slope = -0.5F;
  epilogue.alpha = 1.75F;
  epilogue.lower = -0.25F;
  epilogue.upper = 6.0F;
  return epilogue;
}

template <class Acc>
std::vector<Acc> activated(Activation activation, std::vector<Acc> values) {
  activate(epilogue_of(activation), values.data(), static_cast<std::int64_t>(values.size()));
  return values;
}

template <class Acc>
void expect_close(double share) {
  std::vector<Acc> values;
  for (int i = -40000; i <= 40000; ++i) values.push_back(static_cast<Acc>(i) * Acc{1e-3F});
  for (const float far : {60.0F, 86.0F, 87.5F, 88.4F, 89.5F, 500.0F, 1e10F}) {
    values.insert(values.end(), {static_cast<Acc>(far), static_cast<Acc>(-far)});
  }
  for (const Activation activation : all_activations) {
    const std::vector<Acc> results = activated(activation, values);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double expected =
          measure::activated(epilogue_of(activation), static_cast<double>(values[i]));
      ASSERT_NEAR(static_cast<double>(results[i]), expected,
                  share * std::fmax(1, std::fabs(expected)))
          << to_string(activation) << " of " << values[i];
    }
  }
}

TEST(Activation, FollowsItsDefinitionInFloat) { expect_close<float>(6e-7); }
TEST(Activation, FollowsItsDefinitionInDouble) { expect_close<double>(1e-15); }

TEST(Activation, PassesANaN) {
  for (const Activation activation : all_activations) {
    const std::vector<float> floats(40, std::numeric_limits<float>::quiet_NaN());
    for (const float result : activated(activation, floats)) {
      EXPECT_TRUE(std::isnan(result)) << to_string(activation);
    }
    const std::vector<double> doubles(3, std::numeric_limits<double>::quiet_NaN());
    for (const double result : activated(activation, doubles)) {
      EXPECT_TRUE(std::isnan(result)) << to_string(activation);
    }
  }
}

TEST(Activation, OfNothingIsNothing) {
  for (const Activation activation : all_activations) {
    activate<float>(epilogue_of(activation), nullptr, 0);
  }
}

}  // namespace
}  // namespace fastnorm::kokkos
