// SPDX-License-Identifier: Apache-2.0
// CUDA, because the list of architectures is known to its compiler alone.
#include "backends/cuda/hopper_code.hpp"

#include <algorithm>
#include <string>

namespace fastnorm::cuda {
namespace {

constexpr int hopper = 900;  // As __CUDA_ARCH__ counts.

int architecture_of(const DeviceInfo& device) {
  return device.compute_capability_major * 100 + device.compute_capability_minor * 10;
}

/// The newest code that this build has for the device.
int newest_code_for(const DeviceInfo& device) {
  constexpr int built_for[] = {__CUDA_ARCH_LIST__};
  int newest = 0;
  for (const int code : built_for) {
    if (code <= architecture_of(device)) newest = std::max(newest, code);
  }
  return newest;
}

}  // namespace

Support supports_hopper_code(const DeviceInfo& device, std::string_view feature) {
  if (architecture_of(device) < hopper) {
    return Support::no(std::string(feature) + " need compute capability 9.0; the device has " +
                       std::to_string(device.compute_capability_major) + "." +
                       std::to_string(device.compute_capability_minor));
  }
  if (newest_code_for(device) < hopper) {
    return Support::no("this build has no code with " + std::string(feature) + " for the device");
  }
  return Support::yes();
}

}  // namespace fastnorm::cuda
