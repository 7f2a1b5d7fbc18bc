// SPDX-License-Identifier: Apache-2.0
#include "backends/kokkos/host_dispatch.hpp"

#include <optional>

// Whether the host space is Serial, the only one without a pool of threads.
#if !defined(KOKKOS_ENABLE_OPENMP) && !defined(KOKKOS_ENABLE_THREADS) && !defined(KOKKOS_ENABLE_HPX)
#define FASTNORM_HOST_IS_SERIAL
#endif

namespace fastnorm::kokkos::host_dispatch_detail {

std::unique_lock<std::mutex> lock_pool() {
#ifdef FASTNORM_HOST_IS_SERIAL
  return {};
#else
  static std::mutex mutex;
  return std::unique_lock(mutex);
#endif
}

const HostSpace& instance() {
  // Never destroyed, only emptied: Kokkos may be finalised after the static objects are gone.
  static std::optional<HostSpace>& own = *new std::optional<HostSpace>;
  static std::once_flag made;
  std::call_once(made, [] {
#if defined(FASTNORM_HOST_IS_SERIAL) && KOKKOS_VERSION >= 40400
    // Since 4.4 a loop on Serial holds its instance's lock. A program that calls the library in the
    // body of its own loop holds that of the default instance, so the library has one to itself.
    own.emplace(Kokkos::NewInstance{});
#else
    own.emplace();
#endif
    at_finalize([] { own.reset(); });
  });
  return *own;
}

}  // namespace fastnorm::kokkos::host_dispatch_detail
