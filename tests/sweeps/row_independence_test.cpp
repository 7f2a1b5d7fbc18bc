// SPDX-License-Identifier: Apache-2.0
// A row's result does not depend on how many rows there are beside it: a server that batches its
// requests gives each of them the bits that it would have had alone.
#include "core/problem.hpp"
#include "support/plans.hpp"
#include "support/tolerance.hpp"
#include "support/trial.hpp"
#include "sweep_case.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fastnorm::test {
namespace {

using ::testing::AssertionFailure;
using ::testing::AssertionResult;

/// The same call for the first `samples` of the tensor alone.
TrialSetup leading(TrialSetup setup, std::int64_t samples) {
  Extents extents{samples};
  for (int axis = 1; axis < setup.desc.extents.rank(); ++axis) {
    extents.push_back(setup.desc.extents[axis]);
  }
  setup.desc.extents = extents;
  const LogicalShape shape = logical_shape(setup.desc);
  NormInputs& inputs = setup.inputs;
  inputs.x.resize(shape.elements());
  if (inputs.residual) inputs.residual->resize(shape.elements());
  if (inputs.scale) inputs.scale->resize(shape.samples * shape.c);
  if (inputs.shift) inputs.shift->resize(shape.samples * shape.c);
  return setup;
}

struct Outputs {
  Values y;
  Values mean;  ///< Empty for rms_norm.
  Values rstd;
};

Outputs outputs_of(const Trial& trial) {
  const bool has_mean = trial.setup().desc.op != Op::rms_norm;
  return {trial.y(), has_mean ? trial.mean() : Values(), trial.rstd()};
}

AssertionResult same_leading_bits(const std::string& name, const Values& of_few,
                                  const Values& of_many) {
  const auto end = of_many.begin() + static_cast<std::ptrdiff_t>(of_few.size());
  return same_bits(name, of_few, Values(of_many.begin(), end));
}

AssertionResult same_leading_bits(const Outputs& of_few, const Outputs& of_many) {
  const auto y = same_leading_bits("y", of_few.y, of_many.y);
  if (!y) return y;
  const auto mean = same_leading_bits("mean", of_few.mean, of_many.mean);
  if (!mean) return mean;
  return same_leading_bits("rstd", of_few.rstd, of_many.rstd);
}

class RowIndependence : public Sweep {
 protected:
  /// A sample of the strategy's configurations for many rows that serve the few as well.
  std::vector<Config> shared_configs(const KernelVariant& variant,
                                     const std::vector<Trial*>& fewer) const {
    const DeviceInfo& device = *backend().device(-1).value();
    const Problem problem = Problem::create(desc()).value();
    if (!variant.supports(problem, device).ok) return {};
    const auto serves_fewer = [&](const Config& config) {
      for (const Trial* few : fewer) {
        const Problem part = Problem::create(few->setup().desc).value();
        if (!variant.supports(part, device, config).ok) return false;
      }
      return true;
    };
    std::vector<Config> shared;
    for (const Config& config : variant.configs(problem, device)) {
      if (serves_fewer(config)) shared.push_back(config);
    }
    EXPECT_FALSE(shared.empty()) << variant.name();
    return sample(shared, 4);
  }

  AssertionResult run_forced(const KernelVariant& variant, const Config& config,
                             Trial& trial) const {
    const Result<Plan> plan = forced(trial.setup().desc, variant, config);
    if (plan.ok()) return run(plan.value(), trial);
    return AssertionFailure() << plan.status().message();
  }
};

TEST_P(RowIndependence, FewSamplesHaveTheBitsThatTheyHaveAmongMany) {
  if (!plan_or_failure(desc(), target_options(backend()))) return;
  const TrialSetup setup = random_trial(desc());
  Trial many(setup, target_memory());
  Trial one(leading(setup, 1), target_memory());
  Trial five(leading(setup, 5), target_memory());
  for (const KernelVariant* variant : backend().variants()) {
    if (!variant->deterministic()) continue;
    for (const Config& config : shared_configs(*variant, {&one, &five})) {
      SCOPED_TRACE(std::string(variant->name()) + " " + config.text());
      ASSERT_TRUE(run_forced(*variant, config, many));
      const Outputs expected = outputs_of(many);
      for (Trial* few : {&one, &five}) {
        ASSERT_TRUE(run_forced(*variant, config, *few));
        EXPECT_TRUE(same_leading_bits(outputs_of(*few), expected)) << to_text(few->setup().desc);
      }
    }
  }
}

/// With a residual, and a scale and shift of each sample.
NormDesc modulated(NormDesc desc) {
  desc.residual = Residual::rounded_sum;
  desc.epilogue.modulation = Modulation::scale_shift;
  return desc;
}

/// Of a number of samples that no warp, block or team divides.
const std::vector<NormDesc>& batches() {
  static const std::vector<NormDesc> shapes = {
      // Short rows, several a warp.
      layer_norm_desc({37, 20}),
      group_norm_desc({37, 6, 11}, 2),
      with_type(rms_norm_desc({37, 130}), DType::f16),
      // Rows of a few thousand elements.
      group_norm_desc({37, 12, 21, 23}, 3),
      with_type(group_norm_desc({37, 12, 21, 23}, 3), DType::f16),
      with_type(instance_norm_desc({37, 3, 4099}), DType::bf16),
      layer_norm_desc({37, 4097}),
      with_type(layer_norm_desc({37, 1503}), DType::f64),
      with_type(modulated(layer_norm_desc({37, 4100})), DType::f16),
      rms_norm_desc({37, 5000}),
      // Rows that several blocks share.
      group_norm_desc({37, 2, 50, 1001}, 1),
      with_type(layer_norm_desc({37, 100003}), DType::f16),
      with_type(rms_norm_desc({37, 98304}), DType::bf16),
      // Columns.
      channels_last(group_norm_desc({37, 12, 21, 23}, 3)),
      with_type(channels_last(group_norm_desc({37, 32, 300}, 4)), DType::bf16),
      with_type(channels_last(instance_norm_desc({37, 16, 50})), DType::f64),
      modulated(channels_last(group_norm_desc({37, 64, 49}, 8))),
      over_channels(layer_norm_desc({37, 16, 96})),
      with_type(over_channels(rms_norm_desc({37, 35, 130})), DType::f16),
  };
  return shapes;
}

// A build may lack back ends for the memory space.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(RowIndependence);
INSTANTIATE_TEST_SUITE_P(Batches, RowIndependence,
                         ::testing::Combine(::testing::ValuesIn(target_backends()),
                                            ::testing::ValuesIn(batches())),
                         name_of);

}  // namespace
}  // namespace fastnorm::test
