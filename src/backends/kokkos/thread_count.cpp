// SPDX-License-Identifier: Apache-2.0
#include "backends/kokkos/thread_count.hpp"

#include <algorithm>
#include <cstdlib>
#ifdef KOKKOS_ENABLE_OPENMP
#include <omp.h>
#endif

namespace fastnorm::kokkos {

bool surplus_threads() {
#ifdef KOKKOS_ENABLE_OPENMP
  return std::getenv("KOKKOS_NUM_THREADS") == nullptr &&
         std::min(omp_get_max_threads(), omp_get_thread_limit()) > most_threads;
#else
  return false;
#endif
}

}  // namespace fastnorm::kokkos
