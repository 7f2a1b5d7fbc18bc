// SPDX-License-Identifier: Apache-2.0
/// What the heuristics assume of a host. Only the order of the estimates matters.
#pragma once

#include "backends/kokkos/stores.hpp"
#include "backends/kokkos/traffic.hpp"
#include "core/device_info.hpp"

#include <algorithm>
#include <cstdint>

namespace fastnorm::kokkos::host_cost {

/// Waking the threads and waiting for the last of them.
inline double dispatch_us(std::int64_t threads) { return threads > 1 ? 4.0 : 0.1; }

/// What one thread reads or writes in a microsecond, by where it finds room.
inline constexpr double private_bytes_per_us = 60e3;
inline constexpr double shared_bytes_per_us = 25e3;

/// A few threads are held up by latency, many by the memory.
inline double memory_bytes_per_us(const DeviceInfo& device) {
  constexpr int threads_with_all = 8;
  return 10e3 * std::min(1.0, static_cast<double>(threads_with_all) / device.processors);
}

/// The cache that a thread has to itself. Where the system does not say: that of a current core.
inline double private_cache(const DeviceInfo& device) {
  constexpr std::int64_t usual = 1 << 20;
  return static_cast<double>(device.private_cache_bytes > 0 ? device.private_cache_bytes : usual);
}

/// What a call may count on of the last cache, which other cores use, and on a virtual machine
/// other machines.
inline double shared_cache(const DeviceInfo& device) {
  return static_cast<double>(device.l2_bytes) / 4;
}

/// Of a private cache: the rest is lost to outputs and to neighbours.
inline constexpr double usable_share = 0.75;

/// How fast a thread reads again what it has read so many bytes ago.
inline double rereading_bytes_per_us(const DeviceInfo& device, double bytes_ago) {
  if (bytes_ago <= usable_share * private_cache(device)) return private_bytes_per_us;
  if (bytes_ago * device.processors <= shared_cache(device)) return shared_bytes_per_us;
  return memory_bytes_per_us(device);
}

/// Rounds that `tasks` equal tasks take.
inline double rounds(std::int64_t tasks, std::int64_t threads) {
  return static_cast<double>((tasks + threads - 1) / threads);
}

/// Whether the caches that threads have to themselves hold x and y between two calls. The last
/// cache does not count, though it may hold them: where it does, stores past the caches take as
/// long as cached ones, and where x and y come from memory they take from a tenth to a half less.
/// What they cost is that whoever reads y next finds it in memory.
inline bool fits_private_caches(const Problem& problem, const DeviceInfo& device) {
  const std::int64_t all = problem.elements();
  return input_bytes(problem, all) + output_bytes(problem, all) <=
         usable_share * private_cache(device) * device.processors;
}

/// Reading so many elements, which lie in runs of `run` elements of y, reading them again when
/// `bytes_ago` have been read since, and writing y.
inline double passes_us(const Problem& problem, const DeviceInfo& device, std::int64_t elements,
                        double bytes_ago, Stores stores, std::int64_t run) {
  const double read = input_bytes(problem, elements);
  const double written = output_bytes(problem, elements);
  const double memory = memory_bytes_per_us(device);
  const bool fits = fits_private_caches(problem, device);
  const double first = fits ? shared_bytes_per_us : memory;
  const double reads_us = read / first + read / rereading_bytes_per_us(device, bytes_ago);
  if (stores == Stores::cached) {
    // A line comes from memory before it is written there.
    return reads_us + (fits ? written / shared_bytes_per_us : 2 * written / memory);
  }
  // Lines that a run begins or ends in pass through the cache.
  constexpr double line_bytes = 64;
  return reads_us + written / memory *
                        (1 + line_bytes / output_bytes(problem, std::max<std::int64_t>(run, 1)));
}

/// How much longer a pass takes where rows lie in pieces, which are gathered and scattered, or
/// where a row's channels come again and again, and are read again (channels-last in one group).
inline double scattered_share(const Problem& problem) {
  constexpr double piece_elements = 24;  ///< That a piece costs beside its own.
  if (problem.dense_rows()) return 1;
  const AffineMap& affine = problem.affine();
  const std::int64_t piece =
      std::min(problem.memory().run_len, affine.channels_per_row * affine.inner);
  return 1 + piece_elements / static_cast<double>(piece);
}

}  // namespace fastnorm::kokkos::host_cost
