// SPDX-License-Identifier: Apache-2.0
/// What this process has done with the CUDA driver, found out without doing anything to it.
#pragma once

#include <dlfcn.h>

namespace fastnorm::test {

enum class DriverState { not_loaded, not_initialised, initialised };

inline DriverState driver_state() {
  void* driver = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (driver == nullptr) return DriverState::not_loaded;
  using DeviceGetCount = int(int*);
  const auto device_get_count =
      reinterpret_cast<DeviceGetCount*>(::dlsym(driver, "cuDeviceGetCount"));
  constexpr int not_initialised = 3;  // CUDA_ERROR_NOT_INITIALIZED
  int count = 0;
  const bool initialised =
      device_get_count != nullptr && device_get_count(&count) != not_initialised;
  ::dlclose(driver);
  return initialised ? DriverState::initialised : DriverState::not_initialised;
}

}  // namespace fastnorm::test
