// SPDX-License-Identifier: Apache-2.0
/// Division of indices on devices, which have none of 64 bits in hardware.
#pragma once

#include "backends/cuda/device/fast_divide.hpp"

#include <Kokkos_Macros.hpp>

#include <cstdint>

namespace fastnorm::kokkos {

/// A divisor that is known at plan time: a multiplication and a shift where both numbers are less
/// than 2^31.
class Divisor {
 public:
  Divisor() = default;
  explicit Divisor(std::int64_t divisor)
      : divisor_(divisor), fast_(is_short(divisor) ? static_cast<std::uint32_t>(divisor) : 1) {}

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t quotient(std::int64_t n) const {
    return is_short(n | divisor_) ? std::int64_t{fast_.quotient(static_cast<std::uint32_t>(n))}
                                  : n / divisor_;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t remainder(std::int64_t n) const {
    return n - quotient(n) * divisor_;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static bool is_short(std::int64_t n) { return n >> 31 == 0; }

  std::int64_t divisor_ = 1;
  cuda::FastDivide fast_;
};

}  // namespace fastnorm::kokkos
