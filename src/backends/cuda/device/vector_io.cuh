/// Loads and stores of 1, 2 or 4 elements as one access.
#pragma once

#include "backends/cuda/row_config.hpp"

namespace fastnorm::cuda {

template <class T, int kVec>
struct alignas(sizeof(T) * kVec) Vector {
  T values[kVec];
};

template <class T, int kVec>
__device__ __forceinline__ void load(const T* from, float (&to)[kVec]) {
  const auto vector = *reinterpret_cast<const Vector<T, kVec>*>(from);
#pragma unroll
  for (int k = 0; k < kVec; ++k) to[k] = static_cast<float>(vector.values[k]);
}

/// The machine word that a cache-hinted access moves.
template <int kBytes>
struct WordOf;
template <>
struct WordOf<4> {
  using type = unsigned int;
};
template <>
struct WordOf<8> {
  using type = uint2;
};
template <>
struct WordOf<16> {
  using type = uint4;
};
template <class T, int kVec>
using Word = typename WordOf<sizeof(T) * kVec>::type;

template <class T, int kVec>
__device__ __forceinline__ void load(const T* from, float (&to)[kVec], CacheHint hint) {
  if (hint == CacheHint::keep) {
    load(from, to);
    return;
  }
  union {
    Word<T, kVec> word;
    T values[kVec];
  } vector;
  vector.word = __ldcs(reinterpret_cast<const Word<T, kVec>*>(from));
#pragma unroll
  for (int k = 0; k < kVec; ++k) to[k] = static_cast<float>(vector.values[k]);
}

template <class T, int kVec>
__device__ __forceinline__ void store(T* to, const float (&from)[kVec], CacheHint hint) {
  union {
    Word<T, kVec> word;
    T values[kVec];
  } vector;
#pragma unroll
  for (int k = 0; k < kVec; ++k) vector.values[k] = static_cast<T>(from[k]);
  auto* const words = reinterpret_cast<Word<T, kVec>*>(to);
  if (hint == CacheHint::keep) {
    *words = vector.word;
  } else {
    __stcs(words, vector.word);
  }
}

}  // namespace fastnorm::cuda
