// SPDX-License-Identifier: Apache-2.0
/// How much of a CUDA device's memory to touch so that nothing else is left in its L2.
#pragma once

#include "core/device_info.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace fastnorm::measure {

/// Several times any L2, as much as the published comparisons flush with.
inline std::size_t flush_bytes(const DeviceInfo& device) {
  return static_cast<std::size_t>(std::max(std::int64_t{512} << 20, 4 * device.l2_bytes));
}

/// What does where memory is short: the replacement of lines is not exactly least-recently-used.
inline std::size_t least_flush_bytes(const DeviceInfo& device) {
  return static_cast<std::size_t>(std::max(std::int64_t{64} << 20, 2 * device.l2_bytes));
}

}  // namespace fastnorm::measure
