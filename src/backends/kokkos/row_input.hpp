// SPDX-License-Identifier: Apache-2.0
/// What is normalised: x, or its sum with the residual.
#pragma once

#include "backends/kokkos/element_runs.hpp"
#include "backends/kokkos/isa.hpp"
#include "backends/kokkos/normalization.hpp"

#include <fastnorm/types.hpp>

#include <cstdint>
#include <type_traits>

namespace fastnorm::kokkos {
inline namespace FASTNORM_ISA {

/// h of `count` elements; `residual` is null where there is none.
template <class T>
KOKKOS_INLINE_FUNCTION void sum_run(const T* x, const T* residual, Residual form,
                                    std::int64_t count, Accumulator<T>* h) {
  if (residual == nullptr) return widen_run(x, count, h);
  if (form == Residual::rounded_sum) {
    for (std::int64_t i = 0; i < count; ++i) {
      h[i] = widen(narrow<T>(widen(x[i]) + widen(residual[i])));
    }
  } else {
    for (std::int64_t i = 0; i < count; ++i) h[i] = widen(x[i]) + widen(residual[i]);
  }
}

/// Whether x is what is normalised, and lies in memory as it is computed with.
template <class Acc>
bool is_plain_input(const Normalization& call) {
  return call.x_type == dtype_of<Acc> && call.residual == Residual::none;
}

/// h of elements `at`, `at` + 1... of the call.
template <class Acc>
void fill_block(const Normalization& call, std::int64_t at, std::int64_t count, Acc* h) {
  with_element<Acc>(call.x_type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<Accumulator<T>, Acc>) {
      const T* residual = call.residual == Residual::none
                              ? nullptr
                              : static_cast<const T*>(call.tensors.residual) + at;
      sum_run(static_cast<const T*>(call.tensors.x) + at, residual, call.residual, count, h);
    }
  });
}

/// The same: x itself where it is plain, else in `buffer`.
template <class Acc>
const Acc* read_block(const Normalization& call, std::int64_t at, std::int64_t count, Acc* buffer) {
  if (is_plain_input<Acc>(call)) return static_cast<const Acc*>(call.tensors.x) + at;
  fill_block(call, at, count, buffer);
  return buffer;
}

}  // namespace FASTNORM_ISA
}  // namespace fastnorm::kokkos
