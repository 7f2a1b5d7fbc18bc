// SPDX-License-Identifier: Apache-2.0
/// The machine's CUDA devices, described once.
#pragma once

#include "core/device_info.hpp"

#include <fastnorm/status.hpp>

namespace fastnorm::cuda {

struct CudaDevice {
  DeviceInfo info;
  bool reads_pageable_memory = false;  ///< Plain malloc memory is accessible (HMM or ATS).
};

/// The device with this ordinal, or the current one for -1. The driver is first touched here.
/// Errors: unavailable, saying what is there.
Result<const CudaDevice*> cuda_device(int ordinal);

}  // namespace fastnorm::cuda
