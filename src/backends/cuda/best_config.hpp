/// The heuristic: the configuration of a search space with the smallest estimate.
#pragma once

#include "core/backend.hpp"

#include <vector>

namespace fastnorm::cuda {

inline Config best_by_estimate(const KernelVariant& variant, const Problem& problem,
                               const DeviceInfo& device) {
  Config best;
  double best_us = 0;
  for (Config& config : variant.configs(problem, device)) {
    const double us = variant.estimate_us(problem, device, config);
    if (best.has_value() && !(us < best_us)) continue;
    best_us = us;
    best = std::move(config);
  }
  return best;
}

/// parse_config of a strategy whose aggregate is T.
template <class T>
Result<Config> parse_as(const ConfigFields& fields) {
  Result<T> config = from_fields<T>(fields);
  if (!config.ok()) return config.status();
  return Config::of(std::move(config).value());
}

}  // namespace fastnorm::cuda
