// SPDX-License-Identifier: Apache-2.0
/// How many threads Kokkos can have, and where OpenMP would give it more.
#pragma once

#include <Kokkos_Core.hpp>

#include <limits>

namespace fastnorm::kokkos {

/// Kokkos's OpenMP space has an array of so many threads' data, and writes past its end where there
/// are more of them.
#if defined(KOKKOS_ENABLE_OPENMP) && KOKKOS_VERSION >= 30700
inline constexpr int most_threads = Kokkos::Impl::OpenMPTraits::MAX_THREAD_COUNT;
#elif defined(KOKKOS_ENABLE_OPENMP)
inline constexpr int most_threads = 512;
#else
inline constexpr int most_threads = std::numeric_limits<int>::max();
#endif

/// Whether Kokkos, told nothing, would start with more than most_threads: by OpenMP's number for
/// the calling thread, which may be the processors', the environment's or the program's. Not so
/// where KOKKOS_NUM_THREADS tells it.
bool surplus_threads();

}  // namespace fastnorm::kokkos
