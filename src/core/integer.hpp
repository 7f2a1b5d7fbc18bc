// SPDX-License-Identifier: Apache-2.0
/// Arithmetic of whole numbers that the language lacks.
#pragma once

#include <cstdint>

namespace fastnorm {

/// a / b, rounded up; of numbers that are not negative, b not 0.
constexpr std::int64_t ceil_divide(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// The logarithm to base 2 of a positive number, rounded down, and up.
constexpr int floor_log2(std::int64_t value) {
  int log2 = 0;
  while ((std::int64_t{2} << log2) <= value) ++log2;
  return log2;
}
constexpr int ceil_log2(std::int64_t value) {
  int log2 = 0;
  while ((std::int64_t{1} << log2) < value) ++log2;
  return log2;
}

}  // namespace fastnorm
