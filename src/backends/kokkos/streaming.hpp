// SPDX-License-Identifier: Apache-2.0
/// Stores past the caches, as the instruction set has them. Where it has none, plain ones.
#pragma once

#include "backends/kokkos/isa.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace fastnorm::kokkos {
inline namespace FASTNORM_ISA {

namespace streaming_detail {

inline constexpr std::size_t line_bytes = 64;

/// Whole lines, to a line's boundary.
inline void stream_lines(unsigned char* to, const unsigned char* from, std::size_t bytes) {
#if defined(__AVX512F__)
  for (std::size_t i = 0; i < bytes; i += line_bytes) {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to + i), _mm512_loadu_si512(from + i));
  }
#elif defined(__SSE2__)
  // One after the other: a line leaves the processor when its last byte has been written.
  constexpr std::size_t vector = sizeof(__m128i);
  for (std::size_t i = 0; i < bytes; i += vector) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + i),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
  }
#else
  std::memcpy(to, from, bytes);
#endif
}

}  // namespace streaming_detail

/// Copies; whole lines pass the caches. Others see them after finish_streaming().
inline void stream(void* target, const void* source, std::size_t bytes) {
  using namespace streaming_detail;
  auto* to = static_cast<unsigned char*>(target);
  const auto* from = static_cast<const unsigned char*>(source);
  const std::size_t into_line = reinterpret_cast<std::uintptr_t>(to) % line_bytes;
  const std::size_t before = into_line == 0 ? 0 : std::min(line_bytes - into_line, bytes);
  const std::size_t lines = (bytes - before) / line_bytes * line_bytes;
  std::memcpy(to, from, before);
  stream_lines(to + before, from + before, lines);
  std::memcpy(to + before + lines, from + before + lines, bytes - before - lines);
}

/// What this thread has streamed is in memory before anything that it writes from here on.
inline void finish_streaming() {
#ifdef __SSE2__
  _mm_sfence();
#endif
}

}  // namespace FASTNORM_ISA
}  // namespace fastnorm::kokkos
