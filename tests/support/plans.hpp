// SPDX-License-Identifier: Apache-2.0
/// The plans that a tricky input has to survive.
#pragma once

#include "core/plan_impl.hpp"
#include "core/problem.hpp"
#include "support/shapes.hpp"
#include "support/target.hpp"

#include <fastnorm/plan.hpp>

#include <gtest/gtest.h>

#include <optional>
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

/// The plan, or none and a failure: every back end offers whatever a descriptor can say.
inline std::optional<Plan> plan_or_failure(const NormDesc& desc, const PlanOptions& options) {
  const Result<Plan> plan = Plan::create(desc, options);
  if (plan.ok()) return plan.value();
  ADD_FAILURE() << to_text(desc) << ": " << plan.status().message();
  return std::nullopt;
}

/// Of each back end under test: what the heuristic chooses, and for every
/// strategy that supports the problem its default and a sample of `configs` more.
inline std::vector<Plan> plans_under_test(const NormDesc& desc, std::size_t configs = 4) {
  std::vector<Plan> plans;
  const Result<Problem> problem = Problem::create(desc);
  if (!problem.ok()) {
    ADD_FAILURE() << problem.status().message();
    return plans;
  }
  for (const Backend* backend : target_backends()) {
    PlanOptions options = target_options(*backend);
    const auto add = [&] {
      const std::optional<Plan> plan = plan_or_failure(desc, options);
      if (plan) plans.push_back(*plan);
      return plan.has_value();
    };
    if (!add()) continue;
    const DeviceInfo& device = *backend->device(-1).value();
    for (const KernelVariant* variant : backend->variants()) {
      if (!variant->supports(problem.value(), device).ok) continue;
      options.strategy = variant->name();
      options.config.clear();
      add();
      for (const Config& config : sample(variant->configs(problem.value(), device), configs)) {
        options.config = config.text();
        add();
      }
    }
  }
  return plans;
}

/// Whether the plan launches blocks that wait for each other.
inline bool needs_coresidency(const Plan& plan) {
  const Selection& selection = plan.impl().selection;
  return selection.variant->needs_coresidency(selection.config);
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
