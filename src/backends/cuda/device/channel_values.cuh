// SPDX-License-Identifier: Apache-2.0
/// Reading gamma, beta, scale and shift: a few values a channel, met again and again, so they go
/// through the read-only cache, and the L2 keeps them while rows pass.
#pragma once

#include "backends/cuda/device/element.cuh"
#include "backends/cuda/device/vector_io.cuh"

#include <fastnorm/types.hpp>

#include <cstdint>

namespace fastnorm::cuda {

namespace channel_values_detail {

__device__ __forceinline__ void load_kept(const void* from, std::uint16_t& word) {
  asm("ld.global.nc.L2::cache_hint.u16 %0, [%1], %2;"
      : "=h"(word)
      : "l"(from), "l"(CachePolicy(LoadPriority::evict_last).bits()));
}
__device__ __forceinline__ void load_kept(const void* from, std::uint32_t& word) {
  asm("ld.global.nc.L2::cache_hint.u32 %0, [%1], %2;"
      : "=r"(word)
      : "l"(from), "l"(CachePolicy(LoadPriority::evict_last).bits()));
}
__device__ __forceinline__ void load_kept(const void* from, uint2& word) {
  asm("ld.global.nc.L2::cache_hint.v2.u32 {%0, %1}, [%2], %3;"
      : "=r"(word.x), "=r"(word.y)
      : "l"(from), "l"(CachePolicy(LoadPriority::evict_last).bits()));
}
__device__ __forceinline__ void load_kept(const void* from, uint4& word) {
  asm("ld.global.nc.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
      : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w)
      : "l"(from), "l"(CachePolicy(LoadPriority::evict_last).bits()));
}

template <class From>
__device__ __forceinline__ Accumulator<From> read_element(const From* from) {
  Packed<From, 1> packed;
  load_kept(from, packed.word);
  Accumulator<From> value[1];
  unpack(packed, value);
  return value[0];
}

/// Elements of one access, where so many values are read.
template <class From, int kVec>
inline constexpr int piece_of = kVec < full_vec<From> ? kVec : full_vec<From>;

template <class From, class Acc, int kVec>
__device__ __forceinline__ void read_whole(const From* from, Acc (&values)[kVec]) {
  constexpr int kPiece = piece_of<From, kVec>;
#pragma unroll
  for (int piece = 0; piece < kVec; piece += kPiece) {
    Packed<From, kPiece> packed;
    load_kept(from + piece, packed.word);
    Accumulator<From> of_piece[kPiece];
    unpack(packed, of_piece);
#pragma unroll
    for (int k = 0; k < kPiece; ++k) values[piece + k] = of_piece[k];
  }
}

template <class From, class Acc, int kVec>
__device__ __forceinline__ void read(const From* from, Acc (&values)[kVec]) {
  if constexpr (kVec == 1) {
    values[0] = read_element(from);
  } else if (reinterpret_cast<std::uintptr_t>(from) % sizeof(Packed<From, piece_of<From, kVec>>) ==
             0) {
    read_whole(from, values);
  } else {
    // Off a vector's boundary. In line all the same: a call would cost every kernel registers.
#pragma unroll
    for (int k = 0; k < kVec; ++k) values[k] = read_element(from + k);
  }
}

}  // namespace channel_values_detail

/// One access of values that are met again.
template <class T, int kVec>
__device__ __forceinline__ Packed<T, kVec> read_packed(const T* from) {
  Packed<T, kVec> packed;
  channel_values_detail::load_kept(from, packed.word);
  return packed;
}

/// Values `at`, `at` + 1... of a tensor whose accesses there are whole. `absent` where there is
/// none.
template <class From, class Acc, int kVec>
__device__ __forceinline__ void whole_channel_values(const void* tensor, std::int64_t at,
                                                     Acc absent, Acc (&values)[kVec]) {
  if (tensor == nullptr) {
#pragma unroll
    for (int k = 0; k < kVec; ++k) values[k] = absent;
  } else {
    channel_values_detail::read_whole(static_cast<const From*>(tensor) + at, values);
  }
}

/// The L2 fetches the line of element `at`, and nobody waits for it.
template <class From>
__device__ __forceinline__ void prefetch(const void* tensor, std::int64_t at) {
  if (tensor == nullptr) return;
  asm volatile("prefetch.global.L2::evict_last [%0];" ::"l"(static_cast<const From*>(tensor) + at));
}

/// Values `at`, `at` + 1... of a tensor of `type`: T, the kernel's element type, or f32. `absent`
/// where there is none.
template <class T, int kVec>
__device__ __forceinline__ void channel_values(const void* tensor, DType type, std::int64_t at,
                                               Accumulator<T> absent,
                                               Accumulator<T> (&values)[kVec]) {
  if (tensor == nullptr) {
#pragma unroll
    for (int k = 0; k < kVec; ++k) values[k] = absent;
  } else if (std::is_same_v<T, float> || type == DType::f32) {
    channel_values_detail::read(static_cast<const float*>(tensor) + at, values);
  } else {
    channel_values_detail::read(static_cast<const T*>(tensor) + at, values);
  }
}

}  // namespace fastnorm::cuda
