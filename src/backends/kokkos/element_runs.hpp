// SPDX-License-Identifier: Apache-2.0
/// Runs of elements to and from the type that is computed in: one decision on the type for all of
/// them.
#pragma once

#include "backends/kokkos/element.hpp"
#include "backends/kokkos/half_vectors.hpp"
#include "backends/kokkos/isa.hpp"

#include <cstdint>
#include <type_traits>

namespace fastnorm::kokkos {
inline namespace FASTNORM_ISA {

template <class T, class Acc>
KOKKOS_INLINE_FUNCTION void widen_run(const T* from, std::int64_t count, Acc* to) {
  std::int64_t i = 0;
  if constexpr (std::is_same_v<T, Half> && std::is_same_v<Acc, float>) {
    i = widen_vectors(from, count, to);
  }
  for (; i < count; ++i) to[i] = static_cast<Acc>(widen(from[i]));
}

/// widen_run() as an object.
struct WidenRun {
  template <class T, class Acc>
  KOKKOS_INLINE_FUNCTION void operator()(const T* from, std::int64_t count, Acc* to) const {
    widen_run(from, count, to);
  }
};

template <class T, class Acc>
KOKKOS_INLINE_FUNCTION void narrow_run(const Acc* from, std::int64_t count, T* to) {
  std::int64_t i = 0;
  if constexpr (sizeof(T) == 2 && std::is_same_v<Acc, float>) {
    i = narrow_vectors(from, count, to);
  }
  for (; i < count; ++i) to[i] = narrow<T>(from[i]);
}

/// Elements `at`, `at` + 1... of a tensor of that type.
template <class Acc>
KOKKOS_INLINE_FUNCTION void load_run(DType type, const void* tensor, std::int64_t at,
                                     std::int64_t count, Acc* to) {
  with_element<Acc>(type, [&](auto tag) {
    widen_run(static_cast<const typename decltype(tag)::type*>(tensor) + at, count, to);
  });
}

template <class Acc>
KOKKOS_INLINE_FUNCTION void store_run(DType type, const Acc* from, std::int64_t count, void* tensor,
                                      std::int64_t at) {
  with_element<Acc>(type, [&](auto tag) {
    narrow_run(from, count, static_cast<typename decltype(tag)::type*>(tensor) + at);
  });
}

/// Each value as an element of that type would hold it.
template <class Acc>
KOKKOS_INLINE_FUNCTION void round_run(DType type, Acc* values, std::int64_t count) {
  with_element<Acc>(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (std::int64_t i = 0; i < count; ++i) {
      values[i] = static_cast<Acc>(widen(narrow<T>(values[i])));
    }
  });
}

}  // namespace FASTNORM_ISA
}  // namespace fastnorm::kokkos
