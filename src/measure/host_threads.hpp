// SPDX-License-Identifier: Apache-2.0
/// Threads for the measurement's own work on a host: never for the kernels under test.
#pragma once

#include <cstdint>
#include <functional>

namespace fastnorm::measure {

/// Threads that the machine offers this process; at least 1. However its own threads are bound: the
/// ones below are not.
int host_threads() noexcept;

/// body(begin, end) over parts of [0, count) on `threads` threads; returns when all are done.
void parallel_parts(std::int64_t count, int threads,
                    const std::function<void(std::int64_t, std::int64_t)>& body);

/// Microseconds that `body(part)` takes on `threads` threads at once, each on a core of its own if
/// there are as many, from the first beginning to the last end; their creation is not counted.
double timed_team(int threads, const std::function<void(int)>& body);

}  // namespace fastnorm::measure
