// SPDX-License-Identifier: Apache-2.0
/// A management library that says what a test wants it to, to be loaded in NVML's place.
#pragma once

#include <dlfcn.h>

#include <cstdlib>
#include <limits>
#include <string>

namespace fastnorm::test {

/// What it says of its one device.
struct FakeNvmlState {
  unsigned clock_mhz = 1980;
  unsigned long long reasons = 0;
  int readings_with_reasons = std::numeric_limits<int>::max();  ///< After so many, there are none.
  unsigned long long thermal_ns = 0;
  unsigned utilisation_percent = 0;
  unsigned process = 0;  ///< One that uses the device; 0: there is none.
  unsigned process_percent = 0;
  int starts = 0;  ///< How often it was started, and not shut down.
};

inline constexpr const char* fake_pci_address = "00000000:1b:00.0";

/// The library of this process, with its state as it is at first.
class FakeNvml {
 public:
  FakeNvml() : handle_(dlopen(FAKE_NVML_LIBRARY, RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) std::abort();
    using Function = FakeNvmlState* (*)();
    state = reinterpret_cast<Function>(dlsym(handle_, "fake_nvml_state"))();
    *state = FakeNvmlState{};
  }
  ~FakeNvml() { dlclose(handle_); }
  FakeNvml(const FakeNvml&) = delete;
  FakeNvml& operator=(const FakeNvml&) = delete;

  static std::string path() { return FAKE_NVML_LIBRARY; }

  FakeNvmlState* state;

 private:
  void* handle_;
};

}  // namespace fastnorm::test
