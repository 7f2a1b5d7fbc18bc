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
    std::uint32_t log2 = 0;
    while ((std::uint64_t{1} << log2) < divisor) ++log2;
    shift_ = 31 + log2;
    multiplier_ =
        static_cast<std::uint32_t>(((std::uint64_t{1} << shift_) + divisor - 1) / divisor);
  }

  FASTNORM_HOST_DEVICE std::uint32_t quotient(std::uint32_t n) const {
    return static_cast<std::uint32_t>((std::uint64_t{n} * multiplier_) >> shift_);
  }
  FASTNORM_HOST_DEVICE std::uint32_t divisor() const { return divisor_; }

 private:
  std::uint32_t divisor_ = 1;
  std::uint32_t shift_ = 31;
  /// ceil(2^shift / divisor): fits, since the divisor exceeds 2^(log2 - 1) by one at least.
  std::uint32_t multiplier_ = std::uint32_t{1} << 31;
};

}  // namespace fastnorm::cuda
