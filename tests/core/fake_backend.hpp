// SPDX-License-Identifier: Apache-2.0
/// A back end whose every answer a test decides. It computes nothing.
#pragma once

#include "core/backend.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace fastnorm::test {

struct FakeConfig {
  int threads = 256;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("threads", self.threads);
  }
};

/// What a fake's executable answers, and how often it was asked.
struct FakeLaunches {
  bool accepts = true;
  Status answer;
  int count = 0;
};

class FakeExecutable final : public Executable {
 public:
  explicit FakeExecutable(FakeLaunches& launches) : launches_(launches) {}

  std::size_t workspace_bytes() const noexcept override { return 0; }
  bool accepts(const NormArgs&) const noexcept override { return launches_.accepts; }
  Status launch(const NormArgs&, void*, Stream) const override {
    ++launches_.count;
    return launches_.answer;
  }

 private:
  FakeLaunches& launches_;
};

class FakeVariant final : public KernelVariant {
 public:
  FakeVariant(std::string name, double estimate) : estimate(estimate), name_(std::move(name)) {}

  double estimate;
  bool repeatable = true;
  std::string refusal;  ///< Empty: supports every problem.
  int max_threads = 1024;
  int max_independent_threads = 1024;  ///< More need all blocks resident at once.
  std::vector<int> threads = {256};    ///< The search space; the first is the default.

  Status preparation;           ///< What prepare() fails with.
  Status fallback_preparation;  ///< What prepare_fallback() fails with.
  bool has_fallback = true;
  mutable FakeLaunches launches;
  mutable FakeLaunches fallback_launches;

  std::string_view name() const noexcept override { return name_; }
  bool deterministic() const noexcept override { return repeatable; }

  bool needs_coresidency(const Config& config) const override {
    return config.get<FakeConfig>()->threads > max_independent_threads;
  }

  Support supports(const Problem&, const DeviceInfo&) const override {
    return refusal.empty() ? Support::yes() : Support::no(refusal);
  }

  Support supports(const Problem& problem, const DeviceInfo& device,
                   const Config& config) const override {
    if (config.get<FakeConfig>()->threads > max_threads) return Support::no("too many threads");
    return supports(problem, device);
  }

  std::vector<Config> configs(const Problem&, const DeviceInfo&) const override {
    std::vector<Config> all;
    for (const int count : threads) all.push_back(Config::of(FakeConfig{count}));
    return all;
  }

  Config default_config(const Problem&, const DeviceInfo&) const override {
    return Config::of(FakeConfig{threads.front()});
  }

  double estimate_us(const Problem&, const DeviceInfo&, const Config&) const override {
    return estimate;
  }

  Result<Config> parse_config(const ConfigFields& fields) const override {
    Result<FakeConfig> config = from_fields<FakeConfig>(fields);
    if (!config.ok()) return config.status();
    return Config::of(config.value());
  }

  Result<std::unique_ptr<const Executable>> prepare(const Problem&, const DeviceInfo&,
                                                    const Config&) const override {
    if (!preparation.ok()) return preparation;
    return std::unique_ptr<const Executable>(std::make_unique<FakeExecutable>(launches));
  }

  Result<std::unique_ptr<const Executable>> prepare_fallback(const Problem&, const DeviceInfo&,
                                                             const Config&) const override {
    if (!fallback_preparation.ok()) return fallback_preparation;
    if (!has_fallback) return std::unique_ptr<const Executable>();
    return std::unique_ptr<const Executable>(std::make_unique<FakeExecutable>(fallback_launches));
  }

 private:
  std::string name_;
};

class FakeBackend final : public Backend {
 public:
  FakeBackend(std::string name, std::vector<const KernelVariant*> variants,
              DeviceInfo device = fake_host())
      : name_(std::move(name)), variants_(std::move(variants)), device_(std::move(device)) {}

  static DeviceInfo fake_host() {
    DeviceInfo device;
    device.name = "Fake";
    device.memory = MemorySpace::host;
    device.processors = 4;
    device.l2_bytes = std::int64_t{32} << 20;
    return device;
  }

  const DeviceInfo& device_info() const noexcept { return device_; }

  std::string_view name() const noexcept override { return name_; }
  MemorySpace memory() const noexcept override { return device_.memory; }
  const std::vector<const KernelVariant*>& variants() const override { return variants_; }
  Result<const DeviceInfo*> device(int) const override { return &device_; }
  Result<Software> software() const override { return Software{}; }
  PointerInfo pointer_info(const void*) const noexcept override { return {}; }
  bool can_access(const DeviceInfo&, const PointerInfo&) const noexcept override { return true; }
  Result<StreamInfo> stream_info(const DeviceInfo&, Stream) const override { return StreamInfo{}; }
  Result<std::unique_ptr<DeviceBuffer>> allocate(const DeviceInfo&, std::size_t) const override {
    return Status(StatusCode::out_of_memory, "a fake has no memory");
  }

 private:
  std::string name_;
  std::vector<const KernelVariant*> variants_;
  DeviceInfo device_;
};

}  // namespace fastnorm::test
