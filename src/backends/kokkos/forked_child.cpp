// SPDX-License-Identifier: Apache-2.0
#include "backends/kokkos/forked_child.hpp"

#include <pthread.h>

#include <atomic>

namespace fastnorm::kokkos {
namespace {

std::atomic<bool> forked{false};

}  // namespace

Status watch_forks() {
  const auto in_child = [] { forked.store(true, std::memory_order_relaxed); };
  // It fails for lack of memory alone.
  if (pthread_atfork(nullptr, nullptr, in_child) == 0) return {};
  return Status(StatusCode::out_of_memory, "no host memory to watch for fork()");
}

bool in_forked_child() noexcept { return forked.load(std::memory_order_relaxed); }

}  // namespace fastnorm::kokkos
