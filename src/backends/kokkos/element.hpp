// SPDX-License-Identifier: Apache-2.0
/// Element types as they lie in memory, and what becomes of them in the type that is computed in.
///
/// The 16-bit types are converted in plain arithmetic without branches: loops over them vectorise
/// on any instruction set. Where a device has instructions for it, they take the place.
#pragma once

#include "backends/kokkos/isa.hpp"

#include <fastnorm/types.hpp>

#include <Kokkos_Macros.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>
#ifdef __CUDACC__
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

namespace fastnorm::kokkos {
inline namespace FASTNORM_ISA {

/// IEEE 754 binary16.
struct Half {
  std::uint16_t bits;
};

/// The upper half of a float.
struct BFloat16 {
  std::uint16_t bits;
};

/// What sums and outputs are formed in.
template <class T>
using Accumulator = std::conditional_t<std::is_same_v<T, double>, double, float>;

namespace element_detail {

template <class To, class From>
KOKKOS_INLINE_FUNCTION To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

}  // namespace element_detail

KOKKOS_INLINE_FUNCTION float widen(float value) { return value; }
KOKKOS_INLINE_FUNCTION double widen(double value) { return value; }

KOKKOS_INLINE_FUNCTION float widen(BFloat16 value) {
  return element_detail::bits_as<float>(static_cast<std::uint32_t>(value.bits) << 16);
}

KOKKOS_INLINE_FUNCTION float widen(Half value) {
#ifdef __CUDA_ARCH__
  return __half2float(__ushort_as_half(value.bits));
#else
  using element_detail::bits_as;
  const std::uint32_t word = static_cast<std::uint32_t>(value.bits) << 16;
  const std::uint32_t sign = word & 0x80000000u;
  const std::uint32_t unsigned_twice = word + word;
  // Exponent and mantissa in a float's place, with an exponent too large by 112: a product of
  // powers of two is exact, and infinity and NaN are at a float's largest exponent before it.
  const float normal = bits_as<float>((unsigned_twice >> 4) + (224u << 23)) * 0x1p-112f;
  // A subnormal's mantissa as the last digits of a number from 1/2 on, which is then subtracted.
  const float subnormal = bits_as<float>((unsigned_twice >> 17) | (126u << 23)) - 0.5f;
  constexpr std::uint32_t first_normal = 1u << 27;
  return bits_as<float>(sign |
                        bits_as<std::uint32_t>(unsigned_twice < first_normal ? subnormal : normal));
#endif
}

namespace element_detail {

KOKKOS_INLINE_FUNCTION BFloat16 to_bfloat16(float value) {
#ifdef __CUDA_ARCH__
  // As the lower of a pair: that instruction takes a quarter of a single conversion's time.
  return {__bfloat16_as_ushort(__low2bfloat16(__floats2bfloat162_rn(value, 0.0f)))};
#else
  const auto bits = bits_as<std::uint32_t>(value);
  // Half a unit, less one bit where the last digit is even: a carry moves on into the exponent.
  const std::uint32_t nearest = bits + 0x7fffu + (bits >> 16 & 1u);
  const std::uint32_t quiet_nan = bits | 0x400000u;
  const bool is_nan = (bits & 0x7fffffffu) > 0x7f800000u;
  return {static_cast<std::uint16_t>((is_nan ? quiet_nan : nearest) >> 16)};
#endif
}

/// The addition of a float whose last digit is that of the result makes the processor round.
KOKKOS_INLINE_FUNCTION Half to_half(float value) {
#ifdef __CUDA_ARCH__
  return {__half_as_ushort(__float2half_rn(value))};
#else
  const auto bits = bits_as<std::uint32_t>(value);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  // Infinite from where the nearest half is. Both products are exact otherwise.
  const float in_range = bits_as<float>(magnitude) * 0x1p+112f * 0x1p-110f;
  // Below the smallest normal half, the last digit stays where that one's is.
  const std::uint32_t exponent = magnitude & 0x7f800000u;
  constexpr std::uint32_t smallest_normal = 113u << 23;
  const std::uint32_t base = exponent < smallest_normal ? smallest_normal : exponent;
  const auto rounded = bits_as<std::uint32_t>(bits_as<float>(base + (15u << 23)) + in_range);
  // The base's leading digit is the lowest of an exponent, which the result's mantissa runs into.
  const std::uint32_t finite = (rounded >> 13 & 0x7c00u) + (rounded & 0x0fffu);
  const bool is_nan = magnitude > 0x7f800000u;
  const std::uint32_t quiet_nan = 0x7e00u | (magnitude >> 13 & 0x3ffu);
  return {static_cast<std::uint16_t>((bits >> 16 & 0x8000u) | (is_nan ? quiet_nan : finite))};
#endif
}

}  // namespace element_detail

/// The nearest element of type T, ties to even; NaN stays NaN.
template <class T, class Value>
KOKKOS_INLINE_FUNCTION T narrow(Value value) {
  if constexpr (std::is_same_v<T, Half>) {
    return element_detail::to_half(value);
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return element_detail::to_bfloat16(value);
  } else {
    return static_cast<T>(value);
  }
}

template <class T>
struct ElementTag {
  using type = T;
};

/// Calls function(ElementTag<T>) for a type that a tensor may have beside values computed in Acc.
#ifdef __CUDACC__
#pragma nv_exec_check_disable  // The function may be the host's alone.
#endif
template <class Acc, class Function>
KOKKOS_INLINE_FUNCTION void with_element(DType type, const Function& function) {
  if constexpr (std::is_same_v<Acc, double>) {
    if (type == DType::f32) return function(ElementTag<float>{});
    function(ElementTag<double>{});
  } else {
    switch (type) {
      case DType::f16:
        return function(ElementTag<Half>{});
      case DType::bf16:
        return function(ElementTag<BFloat16>{});
      default:
        return function(ElementTag<float>{});
    }
  }
}

/// Calls function(ElementTag<T>) for any type.
template <class Function>
auto with_dtype(DType type, const Function& function) {
  switch (type) {
    case DType::f16:
      return function(ElementTag<Half>{});
    case DType::bf16:
      return function(ElementTag<BFloat16>{});
    case DType::f64:
      return function(ElementTag<double>{});
    default:
      return function(ElementTag<float>{});
  }
}

/// Calls function(ElementTag<Acc>) for one of the two accumulation types.
template <class Function>
auto with_accumulator(DType type, const Function& function) {
  return type == DType::f64 ? function(ElementTag<double>{}) : function(ElementTag<float>{});
}

template <class T>
inline constexpr DType dtype_of = std::is_same_v<T, Half>       ? DType::f16
                                  : std::is_same_v<T, BFloat16> ? DType::bf16
                                  : std::is_same_v<T, double>   ? DType::f64
                                                                : DType::f32;

}  // namespace FASTNORM_ISA
}  // namespace fastnorm::kokkos
