// SPDX-License-Identifier: Apache-2.0
/// Loads and stores of one vector, with what they ask of the L2.
///
/// All are volatile assembly: their order among each other is kept, so that a call in place never
/// has an element overwritten before it is read, and no fence keeps the compiler from batching
/// loads.
#pragma once

#include "backends/cuda/device/element.cuh"
#include "backends/cuda/row_config.hpp"

#include <fastnorm/types.hpp>

#include <cstdint>

namespace fastnorm::cuda {

/// A priority in the form that accesses take. (They exist from compute capability 8.0 on, which is
/// the least that is built for.)
class CachePolicy {
 public:
  /// To be assigned one of the others.
  CachePolicy() = default;
  explicit __device__ __forceinline__ CachePolicy(LoadPriority priority) {
    if (priority == LoadPriority::evict_last) {
      asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(bits_));
    } else if (priority == LoadPriority::evict_first) {
      become_evict_first();
    } else {
      become_normal();
    }
  }
  explicit __device__ __forceinline__ CachePolicy(StorePriority priority) {
    if (priority == StorePriority::evict_first) {
      become_evict_first();
    } else {
      become_normal();
    }
  }
  __device__ __forceinline__ std::uint64_t bits() const { return bits_; }

 private:
  __device__ __forceinline__ void become_evict_first() {
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(bits_));
  }
  __device__ __forceinline__ void become_normal() {
    asm("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(bits_));
  }

  std::uint64_t bits_ = 0;
};

namespace vector_io_detail {

__device__ __forceinline__ void load_word(const void* from, std::uint16_t& word, CachePolicy hint) {
  asm volatile("ld.global.L1::no_allocate.L2::cache_hint.u16 %0, [%1], %2;"
               : "=h"(word)
               : "l"(from), "l"(hint.bits()));
}
__device__ __forceinline__ void load_word(const void* from, std::uint32_t& word, CachePolicy hint) {
  asm volatile("ld.global.L1::no_allocate.L2::cache_hint.u32 %0, [%1], %2;"
               : "=r"(word)
               : "l"(from), "l"(hint.bits()));
}
__device__ __forceinline__ void load_word(const void* from, uint2& word, CachePolicy hint) {
  asm volatile("ld.global.L1::no_allocate.L2::cache_hint.v2.u32 {%0, %1}, [%2], %3;"
               : "=r"(word.x), "=r"(word.y)
               : "l"(from), "l"(hint.bits()));
}
__device__ __forceinline__ void load_word(const void* from, uint4& word, CachePolicy hint) {
  asm volatile("ld.global.L1::no_allocate.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
               : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w)
               : "l"(from), "l"(hint.bits()));
}

__device__ __forceinline__ void store_word(void* to, std::uint16_t word, CachePolicy hint) {
  asm volatile("st.global.L2::cache_hint.u16 [%0], %1, %2;" ::"l"(to), "h"(word), "l"(hint.bits()));
}
__device__ __forceinline__ void store_word(void* to, std::uint32_t word, CachePolicy hint) {
  asm volatile("st.global.L2::cache_hint.u32 [%0], %1, %2;" ::"l"(to), "r"(word), "l"(hint.bits()));
}
__device__ __forceinline__ void store_word(void* to, uint2 word, CachePolicy hint) {
  asm volatile("st.global.L2::cache_hint.v2.u32 [%0], {%1, %2}, %3;" ::"l"(to), "r"(word.x),
               "r"(word.y), "l"(hint.bits()));
}
__device__ __forceinline__ void store_word(void* to, uint4 word, CachePolicy hint) {
  asm volatile("st.global.L2::cache_hint.v4.u32 [%0], {%1, %2, %3, %4}, %5;" ::"l"(to), "r"(word.x),
               "r"(word.y), "r"(word.z), "r"(word.w), "l"(hint.bits()));
}

}  // namespace vector_io_detail

template <class T, int kVec>
__device__ __forceinline__ Packed<T, kVec> load(const T* from, CachePolicy hint) {
  Packed<T, kVec> packed;
  vector_io_detail::load_word(from, packed.word, hint);
  return packed;
}

template <class T, int kVec>
__device__ __forceinline__ void store(T* to, const Packed<T, kVec>& packed, CachePolicy hint) {
  vector_io_detail::store_word(to, packed.word, hint);
}

/// In as many accesses as elements of type T need.
template <class T, class Value, int kVec>
__device__ __forceinline__ void store_values(T* to, const Value (&values)[kVec], CachePolicy hint) {
  constexpr int kPiece = kVec < full_vec<T> ? kVec : full_vec<T>;
#pragma unroll
  for (int piece = 0; piece < kVec; piece += kPiece) {
    Accumulator<T> of_piece[kPiece];
#pragma unroll
    for (int k = 0; k < kPiece; ++k) of_piece[k] = values[piece + k];
    store(to + piece, pack<T>(of_piece), hint);
  }
}

/// Calls `function` with the ElementTag of y's type, one of those that elements of type T may
/// become.
template <class T, class Function>
__device__ __forceinline__ void with_output_type(DType y_type, Function&& function) {
  if constexpr (std::is_same_v<T, double>) {
    function(ElementTag<double>{});
  } else {
    if (y_type == DType::f32) {
      function(ElementTag<float>{});
    } else if (std::is_same_v<T, __half> || (std::is_same_v<T, float> && y_type == DType::f16)) {
      function(ElementTag<__half>{});
    } else {
      function(ElementTag<__nv_bfloat16>{});
    }
  }
}

}  // namespace fastnorm::cuda
