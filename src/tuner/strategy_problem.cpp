// SPDX-License-Identifier: Apache-2.0
#include "tuner/strategy_problem.hpp"

#include "core/dispatcher.hpp"
#include "core/quoted.hpp"
#include "tuner/entry_job.hpp"

namespace fastnorm::tuner {
namespace {

std::string strategies_of(const Backend& backend) {
  std::string names;
  for (const KernelVariant* variant : backend.variants()) {
    names += (names.empty() ? "" : ", ") + std::string(variant->name());
  }
  return names;
}

/// Of an entry whose strategy has nothing against it.
std::string support_problem(const Backend& backend, const TuningEntry& entry) {
  const Result<Job> job = job_of(entry);
  if (!job.ok()) return job.status().message();
  const KernelVariant& variant = *find_variant(backend, entry.strategy);
  const Support support = variant.supports(job.value().problem, *backend.device(-1).value(),
                                           variant.parse_config(entry.config).value());
  if (support.ok) return {};
  return entry.strategy + " " + to_string(entry.config) + ": " + support.reason;
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

bool is_here(const Backend& backend, const DeviceKey& measured_on) {
  const Result<const DeviceInfo*> device = backend.device(-1);
  return device.ok() && match(measured_on, DeviceKey::of(*device.value())) == DeviceMatch::exact;
}

std::string problem_on_device(const TuningEntry& entry, const DeviceKey& measured_on) {
  const Backend* backend = find_backend(entry.key.backend);
  if (backend == nullptr) return {};
  std::string problem = strategy_problem(*backend, entry);
  if (!problem.empty() || !is_here(*backend, measured_on)) return problem;
  return support_problem(*backend, entry);
}

}  // namespace fastnorm::tuner
