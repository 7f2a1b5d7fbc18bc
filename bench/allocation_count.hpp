// SPDX-License-Identifier: Apache-2.0
/// Counts the program's heap allocations: it replaces the global operator new.
#pragma once

#include <cstdint>

namespace fastnorm::bench {

/// Calls of operator new so far, by all threads.
std::int64_t allocation_count() noexcept;

}  // namespace fastnorm::bench
