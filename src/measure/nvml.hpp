// SPDX-License-Identifier: Apache-2.0
/// What NVIDIA's management library (NVML) tells of a device. It belongs to the driver, and is
/// looked for when the program runs: nothing of it is needed to build or link.
#pragma once

#include <fastnorm/status.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fastnorm::measure {

inline constexpr const char* nvml_library = "libnvidia-ml.so.1";

/// Why a clock is lower than it could be: bits, as NVML has them.
namespace clock_reasons {
inline constexpr std::uint64_t power_cap = 0x4;
inline constexpr std::uint64_t hardware_slowdown = 0x8;  ///< With the next but one, and the last.
inline constexpr std::uint64_t software_thermal = 0x20;
inline constexpr std::uint64_t hardware_thermal = 0x40;
inline constexpr std::uint64_t power_brake = 0x80;
}  // namespace clock_reasons

/// A process's use of a device.
struct ProcessUse {
  int process = 0;
  int percent = 0;  ///< Of the time, kernels of its ran.
};

/// A device as NVML sees it. What the driver or the device does not tell is absent or empty.
class NvmlDevice {
 public:
  /// Errors: unavailable, with what is missing: the library, a function of it, the device.
  static Result<NvmlDevice> open(const std::string& library, const std::string& pci_address);

  NvmlDevice(NvmlDevice&&) noexcept;
  NvmlDevice& operator=(NvmlDevice&&) noexcept;
  ~NvmlDevice();

  std::optional<int> sm_clock_mhz() const;
  std::optional<std::uint64_t> reasons() const;

  /// For how long, altogether, it has been slower than it could be for its temperature.
  std::optional<std::uint64_t> thermal_ns() const;

  /// Of the last moments, kernels ran for so many percent.
  std::optional<int> utilisation() const;

  /// The largest of each process within the last second.
  std::vector<ProcessUse> process_use() const;

 private:
  struct Library;
  NvmlDevice(std::unique_ptr<Library> library, void* device);

  std::unique_ptr<Library> library_;
  void* device_;
};

}  // namespace fastnorm::measure
