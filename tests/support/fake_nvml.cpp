// SPDX-License-Identifier: Apache-2.0
// Those functions of NVML that measurements are watched with.
#include "support/fake_nvml.hpp"

#include <cstring>

namespace {

constexpr int success = 0;
constexpr int not_found = 6;
constexpr int insufficient_size = 7;

fastnorm::test::FakeNvmlState state;

struct Rates {
  unsigned gpu;
  unsigned memory;
};

struct Violation {
  unsigned long long reference_us;
  unsigned long long violation_ns;
};

struct Sample {
  unsigned process;
  unsigned long long time_us;
  unsigned sm;
  unsigned others[3];
};

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

fastnorm::test::FakeNvmlState* fake_nvml_state() { return &state; }

int nvmlInit_v2() {
  ++state.starts;
  return success;
}

int nvmlShutdown() {
  --state.starts;
  return success;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char* address, void** device) {
  if (std::strcmp(address, fastnorm::test::fake_pci_address) != 0) return not_found;
  *device = &state;
  return success;
}

int nvmlDeviceGetClockInfo(void*, int type, unsigned* mhz) {
  constexpr int sm = 1;
  if (type != sm) return not_found;
  *mhz = state.clock_mhz;
  return success;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
  *reasons = state.readings_with_reasons > 0 ? state.reasons : 0;
  --state.readings_with_reasons;
  return success;
}

int nvmlDeviceGetViolationStatus(void*, int policy, Violation* time) {
  constexpr int thermal = 1;
  if (policy != thermal) return not_found;
  *time = {0, state.thermal_ns};
  return success;
}

int nvmlDeviceGetUtilizationRates(void*, Rates* rates) {
  *rates = {state.utilisation_percent, 0};
  return success;
}

int nvmlDeviceGetProcessUtilization(void*, Sample* samples, unsigned* count,
                                    unsigned long long since_us) {
  if (state.process == 0) {
    *count = 0;
    return not_found;
  }
  if (samples == nullptr) {
    *count = 1;
    return insufficient_size;
  }
  *count = 1;
  samples[0] = {state.process, since_us + 1, state.process_percent, {0, 0, 0}};
  return success;
}

}  // extern "C"
#pragma GCC visibility pop
