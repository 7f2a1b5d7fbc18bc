// SPDX-License-Identifier: Apache-2.0
/// A strategy over a configuration aggregate C: the typed side of the core's type-erased Config.
///
/// A subclass names its kernel, its limits, its search space and its estimate, all in terms of C.
#pragma once

#include "core/backend.hpp"
#include "core/strided_axes.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace fastnorm {

template <class C>
class TypedVariant : public KernelVariant {
 public:
  using KernelVariant::supports;

  Support supports(const Problem& problem, const DeviceInfo& device) const final {
    if (Support support = walks(problem); !support.ok) return support;
    return supports_problem(problem, device);
  }

  bool needs_coresidency(const Config& config) const final { return blocks_wait(*config.get<C>()); }

  Support supports(const Problem& problem, const DeviceInfo& device,
                   const Config& config) const final {
    const C* typed = config.get<C>();
    if (typed == nullptr) {
      return Support::no("config \"" + config.text() + "\" is not one of " + std::string(name()));
    }
    if (Support support = supports(problem, device); !support.ok) return support;
    return supports_config(problem, device, *typed);
  }

  std::vector<Config> configs(const Problem& problem, const DeviceInfo& device) const final {
    std::vector<Config> all;
    for (const C& candidate : candidates(problem, device)) {
      if (supports_config(problem, device, candidate).ok) all.push_back(Config::of(candidate));
    }
    return all;
  }

  /// The candidate of the smallest estimate; of equals the first.
  Config default_config(const Problem& problem, const DeviceInfo& device) const final {
    const C* best = nullptr;
    double best_us = 0;
    const std::vector<C> all = candidates(problem, device);
    for (const C& candidate : all) {
      if (!supports_config(problem, device, candidate).ok) continue;
      const double us = estimate(problem, device, candidate);
      if (best != nullptr && !(us < best_us)) continue;
      best = &candidate;
      best_us = us;
    }
    return best == nullptr ? Config() : Config::of(*best);
  }

  double estimate_us(const Problem& problem, const DeviceInfo& device,
                     const Config& config) const final {
    return estimate(problem, device, *config.get<C>());
  }

  Result<Config> parse_config(const ConfigFields& fields) const final {
    Result<C> typed = from_fields<C>(fields);
    if (!typed.ok()) return typed.status();
    return Config::of(std::move(typed).value());
  }

  Result<std::unique_ptr<const Executable>> prepare(const Problem& problem,
                                                    const DeviceInfo& device,
                                                    const Config& config) const final {
    return make(problem, device, *config.get<C>());
  }

  Result<std::unique_ptr<const Executable>> prepare_fallback(const Problem& problem,
                                                             const DeviceInfo& device,
                                                             const Config& config) const final {
    return make_fallback(problem, device, *config.get<C>());
  }

 private:
  /// No, as here, where blocks may run in any order.
  virtual bool blocks_wait(const C&) const { return false; }

  /// Whether the strategy finds its way through the tensors: as here, where rows of contiguous
  /// elements follow each other.
  virtual Support walks(const Problem& problem) const {
    if (problem.dense_rows()) return Support::yes();
    const NormDesc& desc = problem.desc();
    return Support::no("rows must be contiguous and follow each other, channel by channel; here " +
                       shown_x_strides(desc) + ", " + shown_y_strides(desc));
  }

  virtual Support supports_problem(const Problem& problem, const DeviceInfo& device) const = 0;

  virtual Support supports_config(const Problem& problem, const DeviceInfo& device,
                                  const C& config) const = 0;

  /// At least one of them is supported wherever the strategy supports the problem.
  virtual std::vector<C> candidates(const Problem& problem, const DeviceInfo& device) const = 0;

  virtual double estimate(const Problem& problem, const DeviceInfo& device,
                          const C& config) const = 0;

  virtual Result<std::unique_ptr<const Executable>> make(const Problem& problem,
                                                         const DeviceInfo& device,
                                                         const C& config) const = 0;

  /// Null, as here, where make()'s executable accepts pointers of any alignment.
  virtual Result<std::unique_ptr<const Executable>> make_fallback(const Problem&, const DeviceInfo&,
                                                                  const C&) const {
    return std::unique_ptr<const Executable>();
  }
};

}  // namespace fastnorm
