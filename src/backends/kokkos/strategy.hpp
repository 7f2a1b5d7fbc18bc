/// What the strategies of this back end share: the typed configuration behind the core's
/// type-erased one.
#pragma once

#include "core/backend.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace fastnorm::kokkos {

/// Whether these kernels cover the problem at all; the same for every strategy.
inline Support supports_tensors(const Problem& problem) {
  const NormDesc& desc = problem.desc();
  for (const DType type : {desc.x_type, desc.y_type, desc.affine_type}) {
    if (type != DType::f32) return Support::no(std::string("only f32, not ") + to_string(type));
  }
  if (desc.layout != Layout::channels_first) {
    return Support::no(std::string("only channels_first, not ") + to_string(desc.layout));
  }
  return Support::yes();
}

/// A strategy over the configuration aggregate C: a subclass names its kernel and its search space.
template <class C>
class Strategy : public KernelVariant {
 public:
  /// One writer for every value, merged in a fixed order.
  bool deterministic() const noexcept final { return true; }

  Support supports(const Problem& problem, const DeviceInfo&) const final {
    return supports_tensors(problem);
  }

  Support supports(const Problem& problem, const DeviceInfo& device,
                   const Config& config) const final {
    if (Support tensors = supports_tensors(problem); !tensors.ok) return tensors;
    const C* typed = config.get<C>();
    if (typed == nullptr) {
      return Support::no("the configuration is not one of " + std::string(name()));
    }
    return supports_config(problem, device, *typed);
  }

  std::vector<Config> configs(const Problem& problem, const DeviceInfo& device) const final {
    std::vector<Config> all;
    for (const C& candidate : candidates(problem, device)) {
      if (supports_config(problem, device, candidate).ok) all.push_back(Config::of(candidate));
    }
    return all;
  }

  /// The first of the least estimate: candidates() lists the preferred of equals first.
  Config default_config(const Problem& problem, const DeviceInfo& device) const final {
    const std::vector<Config> all = configs(problem, device);
    return *std::min_element(all.begin(), all.end(), [&](const Config& a, const Config& b) {
      return estimate_us(problem, device, a) < estimate_us(problem, device, b);
    });
  }

  double estimate_us(const Problem& problem, const DeviceInfo& device,
                     const Config& config) const final {
    return estimate(problem, device, *config.get<C>());
  }

  Result<Config> parse_config(const ConfigFields& fields) const final {
    Result<C> typed = from_fields<C>(fields);
    if (!typed.ok()) return typed.status();
    return Config::of(typed.value());
  }

  Result<std::unique_ptr<const Executable>> prepare(const Problem& problem,
                                                    const DeviceInfo& device,
                                                    const Config& config) const final {
    return make(problem, device, *config.get<C>());
  }

 private:
  virtual Support supports_config(const Problem& problem, const DeviceInfo& device,
                                  const C& config) const = 0;
  /// Not empty, and at least one of them is supported.
  virtual std::vector<C> candidates(const Problem& problem, const DeviceInfo& device) const = 0;
  virtual double estimate(const Problem& problem, const DeviceInfo& device,
                          const C& config) const = 0;
  virtual Result<std::unique_ptr<const Executable>> make(const Problem& problem,
                                                         const DeviceInfo& device,
                                                         const C& config) const = 0;
};

/// Whether `value` is one of `allowed`; the reason names the field and all that is allowed.
template <class Values>
Support one_of(const char* field, int value, const Values& allowed) {
  std::string list;
  for (const int candidate : allowed) {
    if (candidate == value) return Support::yes();
    list += (list.empty() ? "" : ", ") + std::to_string(candidate);
  }
  return Support::no(std::string(field) + "=" + std::to_string(value) + " must be one of " + list);
}

inline Support in_range(const char* field, int value, int least, int most) {
  if (value >= least && value <= most) return Support::yes();
  return Support::no(std::string(field) + "=" + std::to_string(value) + " must be from " +
                     std::to_string(least) + " to " + std::to_string(most));
}

}  // namespace fastnorm::kokkos
