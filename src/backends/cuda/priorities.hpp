// SPDX-License-Identifier: Apache-2.0
/// What loads and stores ask of the L2, as the search spaces list it.
#pragma once

#include "backends/cuda/row_config.hpp"
#include "backends/cuda/row_space.hpp"

#include <array>
#include <vector>

namespace fastnorm::cuda {

struct Priorities {
  LoadPriority load;
  StorePriority store;
};

constexpr bool is_plain(Priorities priorities) {
  return priorities.load == LoadPriority::normal && priorities.store == StorePriority::normal;
}

/// All there are, those that no access asks for in particular first.
inline constexpr std::array<Priorities, 6> all_priorities = {{
    {LoadPriority::normal, StorePriority::normal},
    {LoadPriority::evict_last, StorePriority::normal},
    {LoadPriority::normal, StorePriority::evict_first},
    {LoadPriority::evict_last, StorePriority::evict_first},
    {LoadPriority::evict_first, StorePriority::normal},
    {LoadPriority::evict_first, StorePriority::evict_first},
}};

template <class AnyConfig>
AnyConfig with_priorities(AnyConfig config, Priorities priorities) {
  config.load = priorities.load;
  config.store = priorities.store;
  return config;
}

/// Lists a configuration with the priorities worth trying: they matter to a call only where its
/// tensors exceed the L2.
template <class AnyConfig>
void add_with_priorities(std::vector<AnyConfig>& list, const AnyConfig& config,
                         const Problem& problem, const DeviceInfo& device) {
  for (const Priorities priorities : all_priorities) {
    list.push_back(with_priorities(config, priorities));
    if (!exceeds_l2(problem, device)) return;
  }
}

}  // namespace fastnorm::cuda
