// SPDX-License-Identifier: Apache-2.0
/// What came with compute capability 9.0: clusters and bulk copies.
#pragma once

#include "core/backend.hpp"

#include <string_view>

namespace fastnorm::cuda {

/// What KernelLaunch::load asks for of kernels with such features.
inline constexpr int hopper_ptx_version = 90;

/// Whether the device has `feature`, and this build code with it that the device runs: code for an
/// older one runs there as well, but there the kernels with that feature are empty.
Support supports_hopper_code(const DeviceInfo& device, std::string_view feature);

}  // namespace fastnorm::cuda
