// SPDX-License-Identifier: Apache-2.0
/// fork(): of the parent's threads the child has the one that forked, and pools that still count
/// the others.
#pragma once

#include <fastnorm/status.hpp>

namespace fastnorm::kokkos {

/// From now on, processes that are forked know that they are. Errors: out_of_memory.
Status watch_forks();

/// Whether this process was forked since then: who waits for the threads of a pool waits for ever.
bool in_forked_child() noexcept;

}  // namespace fastnorm::kokkos
