// Random shapes with random strategies, configurations, alignments and tensors. A failure prints
// all of them; the seed is fixed.
#include "core/problem.hpp"
#include "support/trial.hpp"
#include "sweep_case.hpp"

#include <gtest/gtest.h>

#include <random>
#include <sstream>

namespace fastnorm::test {
namespace {

constexpr std::size_t shapes_per_back_end = 150;
constexpr std::uint64_t seed = 20240311;

class RandomSweep : public TargetTestWithParam<const Backend*> {
 protected:
  std::size_t draw(std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(engine_);
  }

  TrialSetup draw_trial(const NormDesc& desc) {
    TrialSetup setup = random_trial(desc, engine_());
    setup.statistics = static_cast<Statistics>(draw(4));
    setup.output = static_cast<Output>(draw(2));
    setup.offsets = {draw(4), draw(4), draw(4), draw(4)};
    if (draw(4) == 0) setup.inputs.gamma.reset();
    if (draw(4) == 0) setup.inputs.beta.reset();
    return setup;
  }

  std::mt19937_64 engine_{seed};
};

std::string describe(const TrialSetup& setup) {
  const Offsets& offsets = setup.offsets;
  std::ostringstream text;
  text << to_text(setup.desc) << ", gamma " << setup.inputs.gamma.has_value() << ", beta "
       << setup.inputs.beta.has_value() << ", statistics " << static_cast<int>(setup.statistics)
       << (setup.output == Output::in_place ? ", in place" : "") << ", offsets x " << offsets.x
       << " y " << offsets.y << " gamma " << offsets.gamma << " beta " << offsets.beta;
  return text.str();
}

TEST_P(RandomSweep, MatchesTheReference) {
  const Backend& backend = *GetParam();
  const DeviceInfo& device = *backend.device(-1).value();
  for (const NormDesc& desc : random_shapes(shapes_per_back_end, seed)) {
    const Problem problem = Problem::create(desc).value();
    const TrialSetup setup = draw_trial(desc);
    SCOPED_TRACE(describe(setup));
    Trial trial(setup, target_memory());
    for (const KernelVariant* variant : backend.variants()) {
      if (!variant->supports(problem, device).ok) continue;
      const std::vector<Config> configs = variant->configs(problem, device);
      ASSERT_FALSE(configs.empty()) << variant->name();
      PlanOptions options = target_options(backend);
      options.strategy = variant->name();
      options.config = configs[draw(configs.size())].text();
      const Result<Plan> plan = Plan::create(desc, options);
      ASSERT_TRUE(plan.ok()) << plan.status().message();
      ASSERT_TRUE(run(plan.value(), trial));
    }
  }
}

// A build may lack back ends for the memory space.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(RandomSweep);
INSTANTIATE_TEST_SUITE_P(BackEnds, RandomSweep, ::testing::ValuesIn(target_backends()),
                         [](const auto& info) {
                           std::string name(info.param->name());
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace fastnorm::test
