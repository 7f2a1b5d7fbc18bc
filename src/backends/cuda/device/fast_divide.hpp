// SPDX-License-Identifier: Apache-2.0
/// Division by a number that is known at plan time: a multiplication and a shift.
#pragma once

#include "backends/cuda/device/host_device.hpp"

#include <cstdint>

namespace fastnorm::cuda {

/// Quotients of 0 <= n < 2^31 by 1 <= divisor < 2^31: Granlund and Montgomery, "Division by
/// invariant integers using multiplication" (PLDI 1994), theorem 4.2 with N = 31.
class FastDivide {
 public:
  FastDivide() = default;
  explicit FastDivide(std::uint32_t divisor) : divisor_(divisor) {
    while ((std::uint64_t{1} << shift_) < divisor) ++shift_;
    const std::uint64_t power = std::uint64_t{1} << (31 + shift_);
    multiplier_ = static_cast<std::uint32_t>((power + divisor - 1) / divisor);
  }

  FASTNORM_HOST_DEVICE std::uint32_t quotient(std::uint32_t n) const {
    // The upper half of a product, so that nothing takes more than 32 bits.
    return static_cast<std::uint32_t>((std::uint64_t{2 * n} * multiplier_) >> 32) >> shift_;
  }
  FASTNORM_HOST_DEVICE std::uint32_t divisor() const { return divisor_; }

 private:
  std::uint32_t divisor_ = 1;
  std::uint32_t shift_ = 0;  ///< The divisor's logarithm, rounded up.
  /// ceil(2^(31 + shift) / divisor): fits, since the divisor exceeds 2^(shift - 1) by one at least.
  std::uint32_t multiplier_ = std::uint32_t{1} << 31;
};

}  // namespace fastnorm::cuda
