// SPDX-License-Identifier: Apache-2.0
/// How to leave nothing in a CUDA device's L2: what to let go of, and how much memory to touch.
#pragma once

#include "core/device_info.hpp"

#include <cuda_runtime_api.h>

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

/// Makes ordinary lines of those that kernels have asked the L2 to keep (evict_last), which no
/// other accesses displace, however many. The kernels have to be done. Best effort: where the
/// device refuses (MIG), such lines stay.
inline void let_go_of_kept_lines() {
  if (cudaCtxResetPersistingL2Cache() != cudaSuccess) static_cast<void>(cudaGetLastError());
}

}  // namespace fastnorm::measure
