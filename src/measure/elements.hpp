// SPDX-License-Identifier: Apache-2.0
/// Element types for the reference, on host and device alike and apart from the conversions that
/// the kernels under test use. Values are handled as double, which holds all of them.
#pragma once

#include <fastnorm/types.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

namespace fastnorm::measure {

/// The 16-bit types as they lie in memory.
struct Half {
  std::uint16_t bits;
};
struct BFloat16 {
  std::uint16_t bits;
};

constexpr double widen(float value) noexcept { return static_cast<double>(value); }
constexpr double widen(double value) noexcept { return value; }

constexpr double widen(BFloat16 value) noexcept {
  return widen(__builtin_bit_cast(float, static_cast<std::uint32_t>(value.bits) << 16));
}

constexpr double widen(Half value) noexcept {
  const std::uint32_t sign = (value.bits & 0x8000u) << 16;
  const std::uint32_t exponent = value.bits >> 10 & 0x1fu;
  const std::uint32_t mantissa = value.bits & 0x3ffu;
  if (exponent == 0) {
    const double magnitude = static_cast<double>(mantissa) * 0x1p-24;
    return sign != 0 ? -magnitude : magnitude;
  }
  // The exponent moves from a bias of 15 to one of 127; that of infinity and NaN is the largest.
  const std::uint32_t wide = exponent == 0x1f ? 0xffu : exponent + 112;
  return widen(__builtin_bit_cast(float, sign | wide << 23 | mantissa << 13));
}

/// The bits of the nearest element, ties to even, in a format with `mantissa_bits` stored digits
/// and a largest exponent of `bias`.
constexpr std::uint16_t narrow_bits(double value, int mantissa_bits, int bias) noexcept {
  const auto bits = __builtin_bit_cast(std::uint64_t, value);
  const auto sign = static_cast<std::uint32_t>(bits >> 48 & 0x8000u);
  const std::uint32_t infinity = static_cast<std::uint32_t>(2 * bias + 1) << mantissa_bits;
  const int exponent = static_cast<int>(bits >> 52 & 0x7ffu) - 1023;
  if (value != value) return static_cast<std::uint16_t>(sign | infinity | 1u);
  if (exponent > bias) return static_cast<std::uint16_t>(sign | infinity);
  const std::uint64_t mantissa = (bits & 0xfffffffffffffu) | std::uint64_t{1} << 52;
  // Below the smallest exponent elements keep fewer digits.
  const int missing = exponent < 1 - bias ? 1 - bias - exponent : 0;
  const int dropped = 52 - mantissa_bits + missing;
  if (dropped > 53) return static_cast<std::uint16_t>(sign);
  const std::uint64_t rest = mantissa & ((std::uint64_t{1} << dropped) - 1);
  const std::uint64_t half = std::uint64_t{1} << (dropped - 1);
  auto kept = static_cast<std::uint32_t>(mantissa >> dropped);
  if (rest > half || (rest == half && (kept & 1u) != 0)) ++kept;
  // `kept` holds the leading digit of a normal element; a carry moves into the exponent by itself.
  const std::uint32_t power =
      missing > 0 ? 0 : static_cast<std::uint32_t>(exponent + bias - 1) << mantissa_bits;
  return static_cast<std::uint16_t>(sign | (power + kept));
}

/// The nearest element of type T, ties to even.
template <class T>
constexpr T narrow(double value) noexcept {
  return static_cast<T>(value);
}
template <>
constexpr Half narrow<Half>(double value) noexcept {
  return {narrow_bits(value, 10, 15)};
}
template <>
constexpr BFloat16 narrow<BFloat16>(double value) noexcept {
  return {narrow_bits(value, 7, 127)};
}

/// The same as a value.
constexpr double round_to(DType type, double value) noexcept {
  switch (type) {
    case DType::f32:
      return widen(narrow<float>(value));
    case DType::f16:
      return widen(narrow<Half>(value));
    case DType::bf16:
      return widen(narrow<BFloat16>(value));
    case DType::f64:
      return value;
  }
  return value;
}

/// What marks memory that holds nothing: all bits set, a NaN in every type.
inline constexpr unsigned char unset_byte = 0xff;

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                  std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;

template <class T>
constexpr T unset() noexcept {
  return __builtin_bit_cast(T, std::numeric_limits<BitsOf<T>>::max());
}
template <class T>
constexpr bool is_unset(T element) noexcept {
  return __builtin_bit_cast(BitsOf<T>, element) == std::numeric_limits<BitsOf<T>>::max();
}

/// work(T*) for the tensor's element type T (const T* for a const tensor).
template <class Work>
constexpr void with_elements(DType type, const void* tensor, const Work& work) {
  switch (type) {
    case DType::f32:
      return work(static_cast<const float*>(tensor));
    case DType::f16:
      return work(static_cast<const Half*>(tensor));
    case DType::bf16:
      return work(static_cast<const BFloat16*>(tensor));
    case DType::f64:
      return work(static_cast<const double*>(tensor));
  }
}
template <class Work>
constexpr void with_elements(DType type, void* tensor, const Work& work) {
  switch (type) {
    case DType::f32:
      return work(static_cast<float*>(tensor));
    case DType::f16:
      return work(static_cast<Half*>(tensor));
    case DType::bf16:
      return work(static_cast<BFloat16*>(tensor));
    case DType::f64:
      return work(static_cast<double*>(tensor));
  }
}

/// Element i of a tensor.
constexpr double load(DType type, const void* tensor, std::int64_t i) noexcept {
  switch (type) {
    case DType::f32:
      return widen(static_cast<const float*>(tensor)[i]);
    case DType::f16:
      return widen(static_cast<const Half*>(tensor)[i]);
    case DType::bf16:
      return widen(static_cast<const BFloat16*>(tensor)[i]);
    case DType::f64:
      return widen(static_cast<const double*>(tensor)[i]);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace fastnorm::measure
