// SPDX-License-Identifier: Apache-2.0
/// Devices that need not be there.
#pragma once

#include "core/device_info.hpp"

#include <cstdint>

namespace fastnorm::cuda {

/// As today's are, but for what the arguments say.
inline DeviceInfo device_of(int compute_capability_major, int processors,
                            std::int64_t shared_kib = 227) {
  DeviceInfo device;
  device.memory = MemorySpace::device;
  device.name = "a device";
  device.compute_capability_major = compute_capability_major;
  device.processors = processors;
  device.l2_bytes = std::int64_t{50} << 20;
  device.memory_gb_s = 4800;
  device.max_threads_per_block = 1024;
  device.max_threads_per_processor = 2048;
  device.max_blocks_per_processor = 32;
  device.registers_per_processor = 65536;
  device.shared_bytes_per_block = shared_kib << 10;
  device.cooperative_launch = true;
  return device;
}

}  // namespace fastnorm::cuda
