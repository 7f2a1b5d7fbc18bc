// SPDX-License-Identifier: Apache-2.0
#include "draw_case.hpp"

#include "core/problem.hpp"
#include "draw_desc.hpp"
#include "faults.hpp"
#include "spoil.hpp"
#include "support/random.hpp"
#include "support/target.hpp"

#include <array>
#include <utility>

namespace fastnorm::test {
namespace {

/// The strategy's configurations for a descriptor; none where it refuses that.
std::vector<Config> configs_for(const Strategy& strategy, const NormDesc& desc) {
  const Result<Problem> problem = Problem::create(desc);
  if (!problem.ok() || problem.value().empty()) return {};
  if (!strategy.variant->supports(problem.value(), *strategy.device).ok) return {};
  return strategy.variant->configs(problem.value(), *strategy.device);
}

void force(const Strategy& strategy, PropertyCase& one, Draw& draw) {
  // Some strategies ask for widths and strides that one draw in a few hundred has.
  constexpr int most_tries = 1000;
  std::vector<Config> configs = configs_for(strategy, one.desc);
  for (int tries = 0; configs.empty() && tries < most_tries; ++tries) {
    one.desc = draw_desc(draw);
    configs = configs_for(strategy, one.desc);
  }
  one.options.backend = strategy.backend->name();
  one.options.strategy = strategy.variant->name();
  if (!configs.empty() && !draw.once_in(4)) one.options.config = draw.one_of(configs).text();
}

Way draw_way(Draw& draw) {
  if (draw.once_in(2)) return Way::free_function;
  return draw.once_in(16) ? Way::plan_alone : Way::plan;
}

enum class Part { none, desc, options, memory };

/// Mostly none; the others by what there is in each to be spoilt.
Part draw_spoilt_part(Draw& draw) {
  if (!draw.once_in(3)) return Part::none;
  return draw.one_of(std::array{Part::desc, Part::desc, Part::desc, Part::desc, Part::options,
                                Part::memory, Part::memory, Part::memory});
}

}  // namespace

PropertyCase draw_case(std::uint64_t number, const std::vector<Strategy>& strategies) {
  Draw draw(20260417 + number);
  PropertyCase one;
  one.number = number;
  one.way = draw_way(draw);
  one.options = target_options();
  one.desc = draw_desc(draw);
  const Strategy& strategy = strategies[number % strategies.size()];
  const bool is_forced = !draw.once_in(4);
  if (is_forced) {
    force(strategy, one, draw);
  } else {
    if (one.way == Way::plan_alone) one.desc = draw_enormous_desc(draw);
    if (draw.once_in(3)) one.options.backend = strategy.backend->name();
    // A strategy that nobody has asked about the descriptor.
    if (draw.once_in(4)) {
      one.options.backend = strategy.backend->name();
      one.options.strategy = strategy.variant->name();
    }
  }
  // These exclude strategies, so that one which is forced is refused.
  const std::size_t seldom = is_forced ? 12 : 3;
  one.options.deterministic = draw.once_in(seldom);
  if (draw.once_in(seldom)) one.options.launches = Launches::independent_blocks;
  if (draw.once_in(4)) one.options.tuning = Tuning::database;
  if (one.way == Way::free_function && draw.once_in(4)) {
    one.options.memory = MemorySpace::automatic;
  }

  if (one.way == Way::plan_alone) return one;

  const NormDesc sound = one.desc;
  const Part spoilt = draw_spoilt_part(draw);
  if (spoilt == Part::desc) spoil_desc(one, draw);
  if (spoilt == Part::options) spoil_options(one, draw);
  const bool has_tensors = faults_of_arguments(one.desc).empty();
  one.tensors = draw_trial(has_tensors ? one.desc : sound, draw);
  if (spoilt == Part::memory) spoil_memory(one, draw);
  return one;
}

}  // namespace fastnorm::test
