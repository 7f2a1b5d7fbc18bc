// SPDX-License-Identifier: Apache-2.0
/// Memory of the current CUDA device.
#pragma once

#include "support/memory.hpp"

#include <string>

namespace fastnorm::test {

/// Empty where a device can be used, else the reason: "no CUDA device: ...".
std::string why_no_device();

Memory& device_memory();

/// Throws with the runtime's words if `error`, a cudaError_t, is not success.
void check_cuda(int error, const char* what);

}  // namespace fastnorm::test
