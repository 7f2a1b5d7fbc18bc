// SPDX-License-Identifier: Apache-2.0
/// What the operating system tells of this machine.
#pragma once

#include <cstdint>
#include <string>

namespace fastnorm::kokkos {

/// The CPU's model as /proc/cpuinfo gives it, else "unknown CPU".
std::string cpu_model();

/// Bytes of the last cache before memory, 0 if the system does not say.
std::int64_t last_level_cache_bytes();

/// Bytes of memory, 0 if the system does not say.
std::int64_t memory_bytes();

}  // namespace fastnorm::kokkos
