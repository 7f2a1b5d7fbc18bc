// SPDX-License-Identifier: Apache-2.0
/// How much memory this process may still take.
#pragma once

#include <cstdint>

namespace fastnorm::measure {

/// What the system calls available, or what the control group (container) leaves if that is less.
/// The largest value there is where neither can be read.
std::int64_t available_host_bytes();

}  // namespace fastnorm::measure
