// SPDX-License-Identifier: Apache-2.0
/// The worker's side: a process of its own that owns a device's context, loads cases and evaluates
/// candidates for the run that has started it.
#pragma once

#include "core/backend.hpp"

#include <vector>

namespace fastnorm::tuner {

/// The program's argument that makes it a worker.
inline constexpr const char* worker_argument = "worker";

/// Answers what comes at worker_channel until the other end is gone; the exit status then. To be
/// called before the device's runtime is touched. `available` are this build's back ends, but for
/// tests.
int serve(const std::vector<const Backend*>& available);

}  // namespace fastnorm::tuner
