// SPDX-License-Identifier: Apache-2.0
/// The machine's CUDA devices, described once.
#pragma once

#include "core/device_info.hpp"

#include <fastnorm/status.hpp>

#include <string>

namespace fastnorm::cuda {

struct CudaDevice {
  DeviceInfo info;
  bool reads_pageable_memory = false;  ///< Plain malloc memory is accessible (HMM or ATS).
};

/// The device with this ordinal, or the current one for -1. The driver is first touched here.
/// Errors: unavailable, saying what is there.
Result<const CudaDevice*> cuda_device(int ordinal);

/// "13.0"; empty where the runtime does not say it. Needs no device.
std::string runtime_version();

}  // namespace fastnorm::cuda
