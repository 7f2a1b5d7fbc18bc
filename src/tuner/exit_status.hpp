// SPDX-License-Identifier: Apache-2.0
/// The program's exit statuses.
#pragma once

namespace fastnorm::tuner {

inline constexpr int exit_done = 0;
inline constexpr int exit_failed = 1;
inline constexpr int exit_usage = 2;

}  // namespace fastnorm::tuner
