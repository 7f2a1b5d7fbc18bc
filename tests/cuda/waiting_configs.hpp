// SPDX-License-Identifier: Apache-2.0
/// The configurations whose blocks wait for each other, without the names of their fields.
#pragma once

#include "core/backend.hpp"
#include "core/config.hpp"
#include "core/problem.hpp"
#include "cuda/cuda_target.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace fastnorm::test {

/// Where blocks that wait for each other have their messages.
enum class Meeting { in_memory, in_clusters };

/// Whether it is such a configuration, and the device has room for it. What meets in memory needs a
/// workspace for its messages; in a cluster, they lie in the blocks' own memory.
inline bool waits(const KernelVariant& variant, const Problem& problem, const Config& config,
                  Meeting meeting) {
  if (!variant.needs_coresidency(config)) return false;
  const auto executable = variant.prepare(problem, cuda_device(), config);
  if (!executable.ok()) return false;
  return (executable.value()->workspace_bytes() > 0) == (meeting == Meeting::in_memory);
}

/// Of the strategy's configurations for the problem the first and the last of them: as different as
/// any two. Fewer where there are fewer.
inline std::vector<Config> two_that_wait(const KernelVariant& variant, const Problem& problem,
                                         Meeting meeting) {
  const std::vector<Config> all = variant.configs(problem, cuda_device());
  const auto is_one = [&](const Config& config) {
    return waits(variant, problem, config, meeting);
  };
  const auto first = std::find_if(all.begin(), all.end(), is_one);
  if (first == all.end()) return {};
  const auto last = std::find_if(all.rbegin(), all.rend(), is_one).base() - 1;
  return last == first ? std::vector<Config>{*first} : std::vector<Config>{*first, *last};
}

}  // namespace fastnorm::test
