// SPDX-License-Identifier: Apache-2.0
/// What makes the tests' program a worker.
#pragma once

namespace fastnorm::test {

/// With the back ends of faulty_backend.hpp.
inline constexpr const char* faulty_worker = "faulty_worker";

/// One that never gets as far as answering.
inline constexpr const char* dying_worker = "dying_worker";

}  // namespace fastnorm::test
