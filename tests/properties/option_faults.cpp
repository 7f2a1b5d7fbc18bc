// SPDX-License-Identifier: Apache-2.0
// The documentation of PlanOptions, and what a strategy says of itself.
#include "core/problem.hpp"
#include "faults.hpp"
#include "support/target.hpp"

#include <algorithm>

namespace fastnorm::test {
namespace {

constexpr StatusCode invalid = StatusCode::invalid_argument;
constexpr StatusCode unsupported = StatusCode::unsupported;

/// "kokkos-host" goes by "kokkos", too.
bool goes_by(const Backend& backend, const std::string& name) {
  const std::string full(backend.name());
  return name == full || name == full.substr(0, full.find('-'));
}

std::vector<const Backend*> meant(const PlanOptions& options) {
  std::vector<const Backend*> some;
  for (const Backend* backend : target_backends()) {
    if (options.backend.empty() || goes_by(*backend, options.backend)) some.push_back(backend);
  }
  return some;
}

/// The strategy of that name which is found first.
const KernelVariant* named(const PlanOptions& options, const DeviceInfo*& device) {
  for (const Backend* backend : meant(options)) {
    for (const KernelVariant* variant : backend->variants()) {
      if (variant->name() != options.strategy) continue;
      device = backend->device(-1).value();
      return variant;
    }
  }
  return nullptr;
}

}  // namespace

Faults faults_of_options(const PlanOptions& options) {
  Faults faults;
  const auto number = [](auto value) { return std::to_string(static_cast<int>(value)); };
  if (options.tuning != Tuning::database && options.tuning != Tuning::heuristic) {
    faults.push_back({invalid, {"tuning=" + number(options.tuning)}});
  }
  if (options.launches != Launches::all && options.launches != Launches::independent_blocks) {
    faults.push_back({invalid, {"launches=" + number(options.launches)}});
  }
  if (options.memory != MemorySpace::automatic && options.memory != target_space()) {
    faults.push_back({invalid, {"memory=" + number(options.memory)}});
  }
  // Tests need not know how many devices there are.
  if (options.device != -1) {
    faults.push_back({invalid, {"device=" + std::to_string(options.device)}});
  }
  if (meant(options).empty()) {
    faults.push_back({invalid, {"backend=\"" + options.backend + "\""}});
  }
  const DeviceInfo* device = nullptr;
  const KernelVariant* const variant = named(options, device);
  if (options.strategy.empty()) {
    if (!options.config.empty()) faults.push_back({invalid, {"config=\"" + options.config + "\""}});
  } else if (variant == nullptr) {
    faults.push_back({invalid, {"strategy=\"" + options.strategy + "\""}});
  } else if (!options.config.empty()) {
    const Result<ConfigFields> fields = parse_config_text(options.config);
    if (!fields.ok() || !variant->parse_config(fields.value()).ok()) {
      faults.push_back({invalid, {"config"}});
    }
  }
  return faults;
}

Faults faults_of_forced(const NormDesc& desc, const PlanOptions& options) {
  const DeviceInfo* device = nullptr;
  const KernelVariant* const variant = named(options, device);
  if (variant == nullptr) return {};
  Faults faults;
  if (options.deterministic && !variant->deterministic()) {
    faults.push_back({unsupported, {options.strategy, "deterministic"}});
  }
  const Result<Problem> created = Problem::create(desc);
  if (!created.ok()) return faults;  // Which is a fault of its own: the descriptor is sound.
  const Problem& problem = created.value();
  if (const Support support = variant->supports(problem, *device); !support.ok) {
    faults.push_back({unsupported, {options.strategy, support.reason}});
    return faults;
  }
  std::vector<Config> choice;
  if (options.config.empty()) {
    choice = variant->configs(problem, *device);
  } else {
    choice = {variant->parse_config(parse_config_text(options.config).value()).value()};
    if (const Support support = variant->supports(problem, *device, choice.front()); !support.ok) {
      faults.push_back({unsupported, {options.strategy, support.reason}});
    }
  }
  const bool each_waits = std::all_of(choice.begin(), choice.end(), [&](const Config& config) {
    return variant->needs_coresidency(config);
  });
  if (options.launches == Launches::independent_blocks && each_waits) {
    faults.push_back({unsupported, {options.strategy, "independent_blocks"}});
  }
  return faults;
}

}  // namespace fastnorm::test
