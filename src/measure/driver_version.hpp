// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace fastnorm::measure {

/// Of the NVIDIA driver, "580.159"; empty where there is none.
std::string driver_version();

}  // namespace fastnorm::measure
