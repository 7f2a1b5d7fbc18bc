// SPDX-License-Identifier: Apache-2.0
/// What the heuristics assume of a host. Only the order of the estimates matters.
#pragma once

#include "backends/kokkos/traffic.hpp"
#include "core/device_info.hpp"

#include <algorithm>
#include <cstdint>

namespace fastnorm::kokkos::host_cost {

/// What one thread moves to and from memory. That many threads get less each concerns all
/// configurations alike.
inline constexpr double bytes_per_us = 10e3;

/// Waking the threads and waiting for the last of them.
inline double dispatch_us(const DeviceInfo& device) { return device.processors > 1 ? 4.0 : 0.1; }

/// The share of the caches that a thread may count on: its part of the last one, but at least the
/// private second-level cache of a current core.
inline std::int64_t cache_per_thread(const DeviceInfo& device) {
  return std::max<std::int64_t>(device.l2_bytes / std::max(device.processors, 1), 1 << 20);
}

/// Rounds that `tasks` equal tasks take.
inline double rounds(std::int64_t tasks, const DeviceInfo& device) {
  const std::int64_t threads = std::max(device.processors, 1);
  return static_cast<double>((tasks + threads - 1) / threads);
}

/// Reading so many elements from memory so many times, and writing y.
inline double passes_us(const Problem& problem, std::int64_t elements, int reads) {
  return (reads * input_bytes(problem, elements) + output_bytes(problem, elements)) / bytes_per_us;
}

/// How much longer a pass takes where rows lie in pieces, which are gathered and scattered.
inline double scattered_share(const Problem& problem) {
  constexpr double piece_elements = 24;  ///< That a piece costs beside its own.
  if (problem.dense_rows()) return 1;
  return 1 + piece_elements / static_cast<double>(problem.memory().run_len);
}

}  // namespace fastnorm::kokkos::host_cost
