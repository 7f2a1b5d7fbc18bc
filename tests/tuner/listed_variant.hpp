// SPDX-License-Identifier: Apache-2.0
/// A strategy whose configurations a test lists. It never runs anything.
#pragma once

#include "core/backend.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace fastnorm::test {

struct NumberedConfig {
  int number = 0;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("number", self.number);
  }
};

/// Configurations 0, 1, ... with these estimates; the default is that of the smallest.
class ListedVariant final : public KernelVariant {
 public:
  ListedVariant(std::string name, std::vector<double> estimates)
      : name_(std::move(name)), estimates_(std::move(estimates)) {}

  bool repeatable = true;
  bool waits = false;   ///< Its blocks wait for each other.
  std::string refusal;  ///< Empty: supports every problem.

  static Config config(int number) { return Config::of(NumberedConfig{number}); }

  std::string_view name() const noexcept override { return name_; }
  bool deterministic() const noexcept override { return repeatable; }
  bool needs_coresidency(const Config&) const override { return waits; }

  Support supports(const Problem&, const DeviceInfo&) const override {
    return refusal.empty() ? Support::yes() : Support::no(refusal);
  }
  Support supports(const Problem& problem, const DeviceInfo& device, const Config&) const override {
    return supports(problem, device);
  }

  std::vector<Config> configs(const Problem&, const DeviceInfo&) const override {
    std::vector<Config> all;
    for (std::size_t i = 0; i < estimates_.size(); ++i) all.push_back(config(static_cast<int>(i)));
    return all;
  }

  Config default_config(const Problem&, const DeviceInfo&) const override {
    std::size_t best = 0;
    for (std::size_t i = 1; i < estimates_.size(); ++i) {
      if (estimates_[i] < estimates_[best]) best = i;
    }
    return config(static_cast<int>(best));
  }

  double estimate_us(const Problem&, const DeviceInfo&, const Config& config) const override {
    return estimates_[static_cast<std::size_t>(config.get<NumberedConfig>()->number)];
  }

  Result<Config> parse_config(const ConfigFields& fields) const override {
    Result<NumberedConfig> config = from_fields<NumberedConfig>(fields);
    if (!config.ok()) return config.status();
    return Config::of(config.value());
  }

  Result<std::unique_ptr<const Executable>> prepare(const Problem&, const DeviceInfo&,
                                                    const Config&) const override {
    return Status(StatusCode::unsupported, "a fake runs nothing");
  }
  Result<std::unique_ptr<const Executable>> prepare_fallback(const Problem&, const DeviceInfo&,
                                                             const Config&) const override {
    return Status(StatusCode::unsupported, "a fake runs nothing");
  }

 private:
  std::string name_;
  std::vector<double> estimates_;
};

}  // namespace fastnorm::test
