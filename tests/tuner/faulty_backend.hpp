// SPDX-License-Identifier: Apache-2.0
/// A real back end with one strategy more, whose kernels do what kernels must not. None of the
/// faults is imagined: the process that runs one has it.
#pragma once

#include "core/backend.hpp"
#include "tuner/faults.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace fastnorm::test {

struct FaultyConfig {
  Fault fault = Fault::segfault;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("fault", self.fault);
  }
};

/// Whether the faulty strategy is what the heuristic would choose.
enum class Rank { last_choice, default_choice };

class FaultyVariant final : public KernelVariant {
 public:
  explicit FaultyVariant(Rank rank) : rank_(rank) {}

  std::string_view name() const noexcept override { return "faulty"; }
  bool deterministic() const noexcept override { return true; }
  bool needs_coresidency(const Config&) const override { return false; }
  Support supports(const Problem&, const DeviceInfo&) const override { return Support::yes(); }
  Support supports(const Problem&, const DeviceInfo&, const Config&) const override {
    return Support::yes();
  }
  std::vector<Config> configs(const Problem&, const DeviceInfo& device) const override;
  Config default_config(const Problem&, const DeviceInfo&) const override {
    return Config::of(FaultyConfig{});
  }
  double estimate_us(const Problem&, const DeviceInfo&, const Config&) const override {
    return rank_ == Rank::default_choice ? 1e-9 : 1e9;
  }
  Result<Config> parse_config(const ConfigFields& fields) const override;
  Result<std::unique_ptr<const Executable>> prepare(const Problem&, const DeviceInfo&,
                                                    const Config& config) const override;
  Result<std::unique_ptr<const Executable>> prepare_fallback(const Problem&, const DeviceInfo&,
                                                             const Config&) const override {
    return std::unique_ptr<const Executable>();
  }

 private:
  Rank rank_;
};

/// Goes by the real one's name, and leaves all else to it. A host has small caches, which are
/// flushed in less time than faults take.
class FaultyBackend final : public Backend {
 public:
  FaultyBackend(const Backend& real, Rank rank) : real_(real), faulty_(rank) {
    variants_ = real.variants();
    variants_.push_back(&faulty_);
  }

  const KernelVariant& faulty() const noexcept { return faulty_; }

  std::string_view name() const noexcept override { return real_.name(); }
  MemorySpace memory() const noexcept override { return real_.memory(); }
  const std::vector<const KernelVariant*>& variants() const override { return variants_; }
  Result<const DeviceInfo*> device(int ordinal) const override;
  Result<Software> software() const override { return real_.software(); }
  PointerInfo pointer_info(const void* pointer) const noexcept override {
    return real_.pointer_info(pointer);
  }
  bool can_access(const DeviceInfo& device, const PointerInfo& pointer) const noexcept override {
    return real_.can_access(device, pointer);
  }
  Result<StreamInfo> stream_info(const DeviceInfo& device, Stream stream) const override {
    return real_.stream_info(device, stream);
  }
  Result<std::unique_ptr<DeviceBuffer>> allocate(const DeviceInfo& device,
                                                 std::size_t bytes) const override {
    return real_.allocate(device, bytes);
  }

 private:
  const Backend& real_;
  FaultyVariant faulty_;
  mutable std::optional<DeviceInfo> device_;
  std::vector<const KernelVariant*> variants_;
};

}  // namespace fastnorm::test
