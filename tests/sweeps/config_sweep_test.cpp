// SPDX-License-Identifier: Apache-2.0
// Every strategy, over its space of configurations.
#include "core/problem.hpp"
#include "support/plans.hpp"
#include "support/tolerance.hpp"
#include "support/trial.hpp"
#include "sweep_case.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

namespace fastnorm::test {
namespace {

constexpr std::size_t sample_size = 12;

class ConfigSweep : public Sweep {
 protected:
  void SetUp() override {
    Sweep::SetUp();
    if (IsSkipped()) return;
    const Result<const DeviceInfo*> device = backend().device(-1);
    ASSERT_TRUE(device.ok()) << device.status().message();
    device_ = device.value();
    for (const KernelVariant* variant : backend().variants()) {
      if (variant->supports(problem_, *device_).ok) variants_.push_back(variant);
    }
    ASSERT_FALSE(variants_.empty());
  }

  /// The configurations, each in trials that together meet every alignment and (where x and y have
  /// one type) both outputs.
  void try_all(const KernelVariant& variant, const std::vector<Config>& configs) {
    const TrialSetup aligned = random_trial(desc());
    TrialSetup x_off = aligned;
    x_off.offsets = {1, 0, 1, 2};
    TrialSetup y_off = aligned;
    y_off.offsets = {0, 3, 3, 1};
    TrialSetup in_place = aligned;
    in_place.output = Output::in_place;
    std::vector<const TrialSetup*> setups = {&aligned, &x_off, &y_off};
    if (desc().x_type == desc().y_type) setups.push_back(&in_place);
    std::deque<Trial> trials;  // Which do not move.
    for (const TrialSetup* setup : setups) trials.emplace_back(*setup, target_memory());
    for (const Config& config : configs) {
      const Result<Plan> plan = forced(desc(), variant, config);
      ASSERT_TRUE(plan.ok()) << variant.name() << " " << config.text() << ": "
                             << plan.status().message();
      EXPECT_EQ(plan.value().strategy(), variant.name());
      EXPECT_EQ(plan.value().config(), config.text());
      for (Trial& trial : trials) ASSERT_TRUE(run(plan.value(), trial));
    }
  }

  Problem problem_ = Problem::create(desc()).value();
  const DeviceInfo* device_ = nullptr;
  std::vector<const KernelVariant*> variants_;
};

TEST_P(ConfigSweep, SampleOfEachStrategyMatchesTheReference) {
  for (const KernelVariant* variant : variants_) {
    const std::vector<Config> configs = variant->configs(problem_, *device_);
    ASSERT_FALSE(configs.empty()) << variant->name();
    try_all(*variant, sample(configs, sample_size));
  }
}

TEST_P(ConfigSweep, SpaceIsDistinctSupportedAndHoldsTheDefault) {
  for (const KernelVariant* variant : variants_) {
    const std::vector<Config> configs = variant->configs(problem_, *device_);
    const Config standard = variant->default_config(problem_, *device_);
    std::size_t defaults = 0;
    std::vector<std::string> texts;
    for (const Config& config : configs) {
      const Support support = variant->supports(problem_, *device_, config);
      EXPECT_TRUE(support.ok) << variant->name() << " " << config.text() << ": " << support.reason;
      EXPECT_GT(variant->estimate_us(problem_, *device_, config), 0) << config.text();
      if (config == standard) ++defaults;
      texts.push_back(config.text());
    }
    EXPECT_EQ(defaults, 1U) << variant->name() << ": default " << standard.text();
    std::sort(texts.begin(), texts.end());
    EXPECT_EQ(std::adjacent_find(texts.begin(), texts.end()), texts.end()) << variant->name();
  }
}

TEST_P(ConfigSweep, DeterministicStrategiesRepeatBitForBit) {
  Trial trial(random_trial(desc()), target_memory());
  for (const KernelVariant* variant : variants_) {
    if (!variant->deterministic()) continue;
    const std::vector<Config> configs = variant->configs(problem_, *device_);
    for (const Config& config : sample(configs, 3)) {
      const Result<Plan> plan = forced(desc(), *variant, config);
      ASSERT_TRUE(plan.ok()) << plan.status().message();
      ASSERT_TRUE(run(plan.value(), trial));
      const Values first = trial.y();
      for (int repetition = 0; repetition < 5; ++repetition) {
        ASSERT_TRUE(run(plan.value(), trial));
        ASSERT_TRUE(same_bits("y", trial.y(), first)) << plan.value().describe();
      }
    }
  }
}

// A build may lack back ends for the memory space.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ConfigSweep);
INSTANTIATE_TEST_SUITE_P(Shapes, ConfigSweep,
                         ::testing::Combine(::testing::ValuesIn(target_backends()),
                                            ::testing::ValuesIn(all_sweep_shapes())),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Columns, ConfigSweep,
                         ::testing::Combine(::testing::ValuesIn(target_backends()),
                                            ::testing::ValuesIn(column_shapes())),
                         name_of);

class FullConfigSweep : public ConfigSweep {};

TEST_P(FullConfigSweep, EveryConfigurationMatchesTheReference) {
  for (const KernelVariant* variant : variants_) {
    try_all(*variant, variant->configs(problem_, *device_));
  }
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FullConfigSweep);
INSTANTIATE_TEST_SUITE_P(SmallShapes, FullConfigSweep,
                         ::testing::Combine(::testing::ValuesIn(target_backends()),
                                            ::testing::ValuesIn(small_sweep_shapes())),
                         name_of);
INSTANTIATE_TEST_SUITE_P(SmallRowNorms, FullConfigSweep,
                         ::testing::Combine(::testing::ValuesIn(target_backends()),
                                            ::testing::ValuesIn(small_row_norm_shapes())),
                         name_of);
INSTANTIATE_TEST_SUITE_P(SmallColumns, FullConfigSweep,
                         ::testing::Combine(::testing::ValuesIn(target_backends()),
                                            ::testing::ValuesIn(small_column_shapes())),
                         name_of);

// All of the above is f32. Other types are other kernels: other vectors, other conversions, and
// rows that take another number of registers or slots.
class TypedConfigSweep : public ConfigSweep {};

TEST_P(TypedConfigSweep, SampleOfEachStrategyMatchesTheReference) {
  for (const KernelVariant* variant : variants_) {
    try_all(*variant, sample(variant->configs(problem_, *device_), 4));
  }
}

/// Together they leave no strategy out in any type that it offers.
std::vector<NormDesc> shapes_of_every_type() {
  std::vector<NormDesc> shapes;
  for (const Types& types : offered_types()) {
    for (const NormDesc& shape : {
             group_norm_desc({2, 6, 36, 40}, 2),  // A few long channels a row.
             instance_norm_desc({3, 5, 1031}),    // Rows at every distance from a boundary.
             layer_norm_desc({9, 4096}),          // Every element has its own gamma and beta.
             rms_norm_desc({67, 40}),             // Several rows a warp.
             // Columns that vectors can be read of, and such that they cannot.
             channels_last(group_norm_desc({2, 16, 900}, 4)),
             channels_last(instance_norm_desc({3, 11, 103})),
             over_channels(layer_norm_desc({2, 72, 96})),
             over_channels(rms_norm_desc({2, 13, 40})),
         }) {
      shapes.push_back(with_types(shape, types));
    }
  }
  return shapes;
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(TypedConfigSweep);
INSTANTIATE_TEST_SUITE_P(Shapes, TypedConfigSweep,
                         ::testing::Combine(::testing::ValuesIn(target_backends()),
                                            ::testing::ValuesIn(shapes_of_every_type())),
                         name_of);

}  // namespace
}  // namespace fastnorm::test
