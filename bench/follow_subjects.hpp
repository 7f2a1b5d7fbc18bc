// SPDX-License-Identifier: Apache-2.0
/// Which normalizations kernels follow in fastnorm-bench-follow, and with which priorities.
#pragma once

#include <fastnorm/norm_desc.hpp>
#include <fastnorm/plan.hpp>
#include <fastnorm/status.hpp>

#include <string>
#include <vector>

namespace fastnorm::bench {

/// A strategy with a problem that fills the L2 more than once.
struct FollowedNorm {
  std::string strategy;
  NormDesc desc;
};

std::vector<FollowedNorm> followed_norms();

/// Of the L2, by the names that configurations give them.
struct Priorities {
  std::string load;
  std::string store;
};

/// All that there are; a strategy may refuse some.
std::vector<Priorities> all_priorities();

/// The strategy's plan in its default configuration.
Result<Plan> default_plan(const FollowedNorm& norm);

/// The same with other priorities. Errors: unsupported where the strategy refuses them.
Result<Plan> with_priorities(const FollowedNorm& norm, const Plan& plan,
                             const Priorities& priorities);

}  // namespace fastnorm::bench
