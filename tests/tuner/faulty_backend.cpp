// SPDX-License-Identifier: Apache-2.0
#include "tuner/faulty_backend.hpp"

#include <memory>

namespace fastnorm::test {
namespace {

class FaultyExecutable final : public Executable {
 public:
  explicit FaultyExecutable(Fault fault) : fault_(fault) {}

  std::size_t workspace_bytes() const noexcept override { return 0; }
  bool accepts(const NormArgs&) const noexcept override { return true; }
  Status launch(const NormArgs&, void*, Stream stream) const override {
    return commit(fault_, stream);
  }

 private:
  Fault fault_;
};

}  // namespace

std::vector<Config> FaultyVariant::configs(const Problem&, const DeviceInfo& device) const {
  std::vector<Config> all;
  for (const Fault fault : faults_of(device.memory)) all.push_back(Config::of(FaultyConfig{fault}));
  return all;
}

Result<Config> FaultyVariant::parse_config(const ConfigFields& fields) const {
  Result<FaultyConfig> config = from_fields<FaultyConfig>(fields);
  if (!config.ok()) return config.status();
  return Config::of(config.value());
}

Result<std::unique_ptr<const Executable>> FaultyVariant::prepare(const Problem&, const DeviceInfo&,
                                                                 const Config& config) const {
  return std::unique_ptr<const Executable>(
      std::make_unique<FaultyExecutable>(config.get<FaultyConfig>()->fault));
}

Result<const DeviceInfo*> FaultyBackend::device(int ordinal) const {
  const Result<const DeviceInfo*> real = real_.device(ordinal);
  if (!real.ok()) return real;
  if (!device_) {
    device_ = *real.value();
    if (device_->memory == MemorySpace::host) device_->l2_bytes = 1 << 20;
  }
  return &*device_;
}

}  // namespace fastnorm::test
