// SPDX-License-Identifier: Apache-2.0
/// What the operating system tells of this machine.
#pragma once

#include <cstdint>
#include <string>

namespace fastnorm::kokkos {

/// The CPU's model as /proc/cpuinfo gives it, else "unknown CPU".
std::string cpu_model();

/// Each 0 if the system does not say.
struct Caches {
  std::int64_t last_level_bytes = 0;  ///< Of the last one before memory.
  std::int64_t private_bytes = 0;     ///< A thread's share of the last one that its core has alone.
};
Caches host_caches();

/// Bytes of memory, 0 if the system does not say.
std::int64_t memory_bytes();

}  // namespace fastnorm::kokkos
