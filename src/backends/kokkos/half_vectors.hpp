// SPDX-License-Identifier: Apache-2.0
/// 16-bit types to and from floats by instructions for several at once, which the compiler does not
/// choose by itself. They give the values that element.hpp's conversions give.
#pragma once

#include "backends/kokkos/element.hpp"
#include "backends/kokkos/isa.hpp"

#include <Kokkos_Macros.hpp>

#include <cstdint>
#include <cstring>
#if defined(__F16C__) && !defined(__CUDACC__)
#define FASTNORM_HALF_VECTORS
#include <immintrin.h>
#endif

namespace fastnorm::kokkos {
inline namespace FASTNORM_ISA {

/// Converts as many elements as fill vectors, from the first on, and says how many.
KOKKOS_INLINE_FUNCTION std::int64_t widen_vectors([[maybe_unused]] const Half* from,
                                                  [[maybe_unused]] std::int64_t count,
                                                  [[maybe_unused]] float* to) {
  std::int64_t i = 0;
#ifdef FASTNORM_HALF_VECTORS
  for (; i + 8 <= count; i += 8) {
    const auto* halves = reinterpret_cast<const __m128i*>(from + i);
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128(halves)));
  }
#endif
  return i;
}

/// The same in the other direction, to the nearest, ties to even.
KOKKOS_INLINE_FUNCTION std::int64_t narrow_vectors([[maybe_unused]] const float* from,
                                                   [[maybe_unused]] std::int64_t count,
                                                   [[maybe_unused]] BFloat16* to) {
  std::int64_t i = 0;
#ifdef __CUDA_ARCH__
  for (; i + 2 <= count; i += 2) {
    const __nv_bfloat162 pair = __floats2bfloat162_rn(from[i], from[i + 1]);
    std::memcpy(to + i, &pair, sizeof pair);
  }
#endif
  return i;
}

KOKKOS_INLINE_FUNCTION std::int64_t narrow_vectors([[maybe_unused]] const float* from,
                                                   [[maybe_unused]] std::int64_t count,
                                                   [[maybe_unused]] Half* to) {
  std::int64_t i = 0;
#ifdef FASTNORM_HALF_VECTORS
  for (; i + 8 <= count; i += 8) {
    auto* halves = reinterpret_cast<__m128i*>(to + i);
    _mm_storeu_si128(halves, _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
  }
#elif defined(__CUDA_ARCH__)
  for (; i + 2 <= count; i += 2) {
    const __half2 pair = __floats2half2_rn(from[i], from[i + 1]);
    std::memcpy(to + i, &pair, sizeof pair);
  }
#endif
  return i;
}

}  // namespace FASTNORM_ISA
}  // namespace fastnorm::kokkos
