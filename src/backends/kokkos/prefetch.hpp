// SPDX-License-Identifier: Apache-2.0
/// Memory that will be read soon.
#pragma once

#include "backends/kokkos/isa.hpp"

#include <cstddef>

namespace fastnorm::kokkos {
inline namespace FASTNORM_ISA {

/// Has the lines of these bytes brought into the second-level cache. They may lie anywhere, past
/// the end of a tensor, too.
inline void prefetch(const void* from, std::size_t bytes) {
#ifdef __GNUC__
  constexpr std::size_t line_bytes = 64;
  constexpr int for_reading = 0;
  constexpr int second_level = 2;
  const auto* line = static_cast<const unsigned char*>(from);
  for (std::size_t i = 0; i < bytes; i += line_bytes) {
    __builtin_prefetch(line + i, for_reading, second_level);
  }
#else
  static_cast<void>(from);
  static_cast<void>(bytes);
#endif
}

}  // namespace FASTNORM_ISA
}  // namespace fastnorm::kokkos
