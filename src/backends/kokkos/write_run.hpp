// SPDX-License-Identifier: Apache-2.0
/// Where the host's loops put their results: into the caches, or past them.
#pragma once

#include "backends/kokkos/element_runs.hpp"
#include "backends/kokkos/isa.hpp"
#include "backends/kokkos/stores.hpp"
#include "backends/kokkos/streaming.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace fastnorm::kokkos {
inline namespace FASTNORM_ISA {

/// Elements that are converted at a time: buffers of 4 KiB (fp64: 8), which stay in the first-level
/// cache between the steps of the epilogue.
inline constexpr std::int64_t chunk_len = 1024;

/// A chunk at most of values becomes elements `at`, `at` + 1... of a tensor of that type.
template <class Acc>
void write_run(Stores stores, DType type, const Acc* from, std::int64_t count, void* tensor,
               std::int64_t at) {
  if (stores == Stores::cached) return store_run(type, from, count, tensor, at);
  with_element<Acc>(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* to = static_cast<T*>(tensor) + at;
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
    if constexpr (std::is_same_v<T, Acc>) {
      stream(to, from, bytes);
    } else {
      T narrowed[chunk_len];
      narrow_run(from, count, narrowed);
      stream(to, narrowed, bytes);
    }
  });
}

}  // namespace FASTNORM_ISA
}  // namespace fastnorm::kokkos
