// SPDX-License-Identifier: Apache-2.0
/// Element types on the device: what they are summed in, how they convert, how they are packed.
#pragma once

#include <fastnorm/types.hpp>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace fastnorm::cuda {

/// What elements of type T are summed and normalised in.
template <class T>
using Accumulator = std::conditional_t<std::is_same_v<T, double>, double, float>;

/// A type, as an argument.
template <class T>
struct ElementTag {
  using type = T;
};

/// What descriptors call it.
template <class T>
inline constexpr DType dtype_of = std::is_same_v<T, double>
                                      ? DType::f64
                                      : (std::is_same_v<T, float>
                                             ? DType::f32
                                             : (std::is_same_v<T, __half> ? DType::f16
                                                                          : DType::bf16));

/// Elements of one access of 16 bytes, the widest there is.
template <class T>
inline constexpr int full_vec = static_cast<int>(16 / sizeof(T));

/// What the values of so many loads take in registers when they are unpacked, in 32-bit words. fp64
/// counts once more for the temporaries of its arithmetic.
template <class T>
constexpr int value_words(int vec_width, int unroll) {
  return vec_width * unroll * (std::is_same_v<T, double> ? 4 : 1);
}

namespace element_detail {

template <int kBytes>
struct WordOf;
template <>
struct WordOf<2> {
  using type = std::uint16_t;
};
template <>
struct WordOf<4> {
  using type = std::uint32_t;
};
template <>
struct WordOf<8> {
  using type = uint2;
};
template <>
struct WordOf<16> {
  using type = uint4;
};

}  // namespace element_detail

/// kVec elements as they lie in memory: one access, and the least room in registers.
template <class T, int kVec>
struct Packed {
  using Word = typename element_detail::WordOf<static_cast<int>(sizeof(T)) * kVec>::type;
  Word word;
};

/// Rounds to nearest even and keeps NaN.
template <class T>
__device__ __forceinline__ T to_element(Accumulator<T> value) {
  if constexpr (std::is_same_v<T, __half>) {
    return __float2half_rn(value);
  } else if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    return __float2bfloat16_rn(value);
  } else {
    return value;
  }
}

template <class T>
__device__ __forceinline__ Accumulator<T> from_element(T value) {
  if constexpr (std::is_same_v<T, __half>) {
    return __half2float(value);
  } else if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    return __bfloat162float(value);
  } else {
    return value;
  }
}

/// The value that a T would keep of it.
template <class T>
__device__ __forceinline__ Accumulator<T> round_to(Accumulator<T> value) {
  return from_element<T>(to_element<T>(value));
}

template <class T, int kVec>
__device__ __forceinline__ void unpack(const Packed<T, kVec>& packed,
                                       Accumulator<T> (&values)[kVec]) {
  if constexpr (std::is_same_v<T, __nv_bfloat16> && kVec % 2 == 0) {
    // A bfloat16 is a float's upper half: one instruction each, where the header's take two.
    std::uint32_t pairs[kVec / 2];
    memcpy(pairs, &packed.word, sizeof pairs);
#pragma unroll
    for (int k = 0; k < kVec / 2; ++k) {
      values[2 * k] = __uint_as_float(pairs[k] << 16);
      values[2 * k + 1] = __uint_as_float(pairs[k] & 0xFFFF0000U);
    }
  } else {
    T elements[kVec];
    memcpy(elements, &packed.word, sizeof elements);
#pragma unroll
    for (int k = 0; k < kVec; ++k) values[k] = from_element(elements[k]);
  }
}

/// Vector u of several, whose values lie in a row.
template <class T, int kVec, int kValues>
__device__ __forceinline__ void unpack_into(const Packed<T, kVec>& packed, int u,
                                            Accumulator<T> (&values)[kValues]) {
  Accumulator<T> of_vector[kVec];
  unpack(packed, of_vector);
#pragma unroll
  for (int k = 0; k < kVec; ++k) values[u * kVec + k] = of_vector[k];
}

/// Pairs of half-width elements convert in one instruction.
template <class T, int kVec>
__device__ __forceinline__ Packed<T, kVec> pack(const Accumulator<T> (&values)[kVec]) {
  Packed<T, kVec> packed;
  if constexpr (sizeof(T) == 2 && kVec % 2 == 0) {
    using Pair = std::conditional_t<std::is_same_v<T, __half>, __half2, __nv_bfloat162>;
    Pair pairs[kVec / 2];
#pragma unroll
    for (int k = 0; k < kVec / 2; ++k) {
      if constexpr (std::is_same_v<T, __half>) {
        pairs[k] = __floats2half2_rn(values[2 * k], values[2 * k + 1]);
      } else {
        pairs[k] = __floats2bfloat162_rn(values[2 * k], values[2 * k + 1]);
      }
    }
    memcpy(&packed.word, pairs, sizeof pairs);
  } else {
    T elements[kVec];
#pragma unroll
    for (int k = 0; k < kVec; ++k) elements[k] = to_element<T>(values[k]);
    memcpy(&packed.word, elements, sizeof elements);
  }
  return packed;
}

}  // namespace fastnorm::cuda
