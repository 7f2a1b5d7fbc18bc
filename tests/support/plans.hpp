/// The plans that a tricky input has to survive.
#pragma once

#include "core/problem.hpp"
#include "support/shapes.hpp"
#include "support/target.hpp"

#include <fastnorm/plan.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace fastnorm::test {

/// Up to `limit` of them, evenly spaced, the first and the last included.
template <class T>
std::vector<T> sample(const std::vector<T>& all, std::size_t limit) {
  if (all.size() <= limit) return all;
  if (limit == 1) return {all.front()};
  std::vector<T> some;
  for (std::size_t i = 0; i < limit; ++i) some.push_back(all[i * (all.size() - 1) / (limit - 1)]);
  return some;
}

/// Of each back end under test: what the heuristic chooses, and for every strategy that supports
/// the problem its default and a sample of `configs` more.
inline std::vector<Plan> plans_under_test(const NormDesc& desc, std::size_t configs = 4) {
  std::vector<Plan> plans;
  const auto add = [&](const PlanOptions& options) {
    const Result<Plan> plan = Plan::create(desc, options);
    if (plan.ok()) {
      plans.push_back(plan.value());
    } else {
      ADD_FAILURE() << to_text(desc) << ": " << plan.status().message();
    }
  };
  const Result<Problem> problem = Problem::create(desc);
  if (!problem.ok()) {
    ADD_FAILURE() << problem.status().message();
    return plans;
  }
  for (const Backend* backend : target_backends()) {
    PlanOptions options = target_options(*backend);
    add(options);
    const DeviceInfo& device = *backend->device(-1).value();
    for (const KernelVariant* variant : backend->variants()) {
      if (!variant->supports(problem.value(), device).ok) continue;
      options.strategy = variant->name();
      options.config.clear();
      add(options);
      for (const Config& config : sample(variant->configs(problem.value(), device), configs)) {
        options.config = config.text();
        add(options);
      }
    }
  }
  return plans;
}

/// Whether the plan's strategy promises the same bits in every run.
inline bool repeats_bit_for_bit(const Plan& plan) {
  for (const Backend* backend : target_backends()) {
    if (backend->name() != plan.backend()) continue;
    return find_variant(*backend, plan.strategy())->deterministic();
  }
  return false;
}

}  // namespace fastnorm::test
