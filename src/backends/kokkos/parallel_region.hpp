// SPDX-License-Identifier: Apache-2.0
/// OpenMP's parallel regions, in which the library may be called.
#pragma once

#include <Kokkos_Core.hpp>

#include <future>
#ifdef KOKKOS_ENABLE_OPENMP
#include <omp.h>
#endif

namespace fastnorm::kokkos {

/// Whether the caller is one thread of many already. Any enclosing region counts, also one of a
/// single thread: its own dispatch may hold the lock of the space.
inline bool inside_parallel_region() noexcept {
#ifdef KOKKOS_ENABLE_OPENMP
  return omp_get_level() > 0;
#else
  return false;
#endif
}

/// What body() returns, or throws, for what Kokkos does outside of regions only: to start, and to
/// say how many threads it has. In a region it is called by a new thread, which is in none. That
/// one takes over the caller's number of threads: its own would be the environment's, whatever the
/// program has set since.
template <class Body>
auto outside_parallel_regions(const Body& body) {
#ifdef KOKKOS_ENABLE_OPENMP
  if (inside_parallel_region()) {
    const auto call = [&body, threads = omp_get_max_threads()] {
      omp_set_num_threads(threads);
      return body();
    };
    return std::async(std::launch::async, call).get();
  }
#endif
  return body();
}

}  // namespace fastnorm::kokkos
