/// A back end whose every answer a test decides. It never runs anything.
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

class FakeVariant final : public KernelVariant {
 public:
  FakeVariant(std::string name, double estimate) : estimate(estimate), name_(std::move(name)) {}

  double estimate;
  bool repeatable = true;
  std::string refusal;  ///< Empty: supports every problem.
  int max_threads = 1024;

  std::string_view name() const noexcept override { return name_; }
  bool deterministic() const noexcept override { return repeatable; }

  Support supports(const Problem&, const DeviceInfo&) const override {
    return refusal.empty() ? Support::yes() : Support::no(refusal);
  }

  Support supports(const Problem& problem, const DeviceInfo& device,
                   const Config& config) const override {
    if (config.get<FakeConfig>()->threads > max_threads) return Support::no("too many threads");
    return supports(problem, device);
  }

  std::vector<Config> configs(const Problem&, const DeviceInfo&) const override {
    return {Config::of(FakeConfig{})};
  }

  Config default_config(const Problem&, const DeviceInfo&) const override {
    return Config::of(FakeConfig{});
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
    return Status(StatusCode::unsupported, "a fake runs nothing");
  }

  Result<std::unique_ptr<const Executable>> prepare_fallback(const Problem&, const DeviceInfo&,
                                                             const Config&) const override {
    return Status(StatusCode::unsupported, "a fake runs nothing");
  }

 private:
  std::string name_;
};

class FakeBackend final : public Backend {
 public:
  FakeBackend(std::string name, std::vector<const KernelVariant*> variants)
      : name_(std::move(name)), variants_(std::move(variants)) {
    device_.name = "Fake";
    device_.memory = MemorySpace::host;
    device_.processors = 4;
    device_.l2_bytes = std::int64_t{32} << 20;
  }

  const DeviceInfo& device_info() const noexcept { return device_; }

  std::string_view name() const noexcept override { return name_; }
  MemorySpace memory() const noexcept override { return MemorySpace::host; }
  const std::vector<const KernelVariant*>& variants() const override { return variants_; }
  Result<const DeviceInfo*> device(int) const override { return &device_; }
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
