// SPDX-License-Identifier: Apache-2.0
#include "measure/monitor.hpp"

#include "measure/host_monitor.hpp"
#include "measure/nvml_monitor.hpp"

#include <utility>

namespace fastnorm::measure {
namespace {

/// Sees nothing.
class BlindMonitor final : public Monitor {
 public:
  explicit BlindMonitor(std::string why) : why_(std::move(why)) {}

  std::vector<std::string> opening_notes() const override {
    return {"neither the GPU's clocks nor other load on it are watched: " + why_};
  }
  void begin() override {}
  Disturbances end() override { return {}; }
  std::vector<std::string> closing_notes() const override { return {}; }

 private:
  std::string why_;
};

}  // namespace

std::unique_ptr<Monitor> make_monitor(const DeviceInfo& device) {
  if (device.memory == MemorySpace::host) {
    return std::make_unique<HostMonitor>(device.processors, host_processors(), load_average);
  }
  Result<NvmlDevice> opened = NvmlDevice::open(nvml_library, device.pci_address);
  if (!opened.ok()) return std::make_unique<BlindMonitor>(opened.status().message());
  return std::make_unique<NvmlMonitor>(std::move(opened).value());
}

}  // namespace fastnorm::measure
