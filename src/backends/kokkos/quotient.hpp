// SPDX-License-Identifier: Apache-2.0
/// Division of indices on devices.
#pragma once

#include <Kokkos_Macros.hpp>

#include <cstdint>

namespace fastnorm::kokkos {

/// a / b, in 32 bits where both fit: devices have no 64-bit division in hardware.
KOKKOS_INLINE_FUNCTION std::int64_t quotient(std::int64_t a, std::int64_t b) {
  if ((a | b) >> 32 == 0) return static_cast<std::uint32_t>(a) / static_cast<std::uint32_t>(b);
  return a / b;
}

}  // namespace fastnorm::kokkos
