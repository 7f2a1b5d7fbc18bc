// SPDX-License-Identifier: Apache-2.0
/// Kokkos's lifetime as the library sees it: initialised at the first call unless the program has
/// done so, never finalised while the program runs, and gone for good once the program finalises
/// it.
#pragma once

#include <fastnorm/status.hpp>

#include <functional>
#include <string>

namespace fastnorm::kokkos {

/// Makes Kokkos usable, from any thread and inside parallel regions. Errors: unavailable;
/// invalid_argument for a variable of Kokkos's environment; out_of_memory.
Status start_runtime();

/// What a launch asks: ok between start_runtime() and the program's Kokkos::finalize().
Status check_runtime();

/// The version that the library was built with, as Kokkos writes it: "4.4.01".
std::string version_text();

/// Calls `release` when the program finalises Kokkos, for objects that must not outlive it. Only
/// after start_runtime().
void at_finalize(std::function<void()> release);

}  // namespace fastnorm::kokkos
