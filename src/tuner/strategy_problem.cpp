// SPDX-License-Identifier: Apache-2.0
#include "tuner/strategy_problem.hpp"

#include "core/dispatcher.hpp"
#include "core/quoted.hpp"

namespace fastnorm::tuner {
namespace {

std::string strategies_of(const Backend& backend) {
  std::string names;
  for (const KernelVariant* variant : backend.variants()) {
    names += (names.empty() ? "" : ", ") + std::string(variant->name());
  }
  return names;
}

}  // namespace

std::string strategy_problem(const TuningEntry& entry) {
  const Backend* backend = find_backend(entry.key.backend);
  return backend == nullptr ? std::string() : strategy_problem(*backend, entry);
}

std::string strategy_problem(const Backend& backend, const TuningEntry& entry) {
  const KernelVariant* variant = find_variant(backend, entry.strategy);
  if (variant == nullptr) {
    return "strategy " + shortened(entry.strategy) + " is unknown to " + entry.key.backend +
           ", which has " + strategies_of(backend);
  }
  const Result<Config> config = variant->parse_config(entry.config);
  if (!config.ok()) return config.status().message();
  return repeats_as_said(entry, *variant).reason;
}

}  // namespace fastnorm::tuner
