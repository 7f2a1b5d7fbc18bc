// SPDX-License-Identifier: Apache-2.0
/// Neighbouring elements that move between memory and registers as one.
#pragma once

#include "backends/kokkos/element_runs.hpp"

#include <Kokkos_Macros.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace fastnorm::kokkos {

/// What a device loads or stores at once.
inline constexpr int pack_bytes = 16;

/// The widest pack of elements of type T.
template <class T>
inline constexpr int widest_pack = pack_bytes / static_cast<int>(sizeof(T));

template <class T, int Width>
struct alignas(Width * sizeof(T)) Pack {
  T values[Width];
};

/// Packs that a thread has under way at a time. All of them are loaded before any is used: the
/// latency of memory is paid once for them. They take 16 registers or less.
constexpr int packs_under_way(int width) { return width == 8 ? 2 : 4; }

/// The same where each element's channel takes registers, too.
constexpr int packs_with_channels(int width) { return width == 4 ? 2 : 1; }

namespace pack_detail {

/// What is stored at once.
#ifdef __CUDACC__
using Words16 = uint4;
#else
struct alignas(16) Words16 {
  std::uint64_t values[2];
};
#endif

using std::size_t;

template <size_t Bytes>
using Words = std::conditional_t<
    Bytes % 16 == 0, Words16,
    std::conditional_t<Bytes == 8, std::uint64_t,
                       std::conditional_t<Bytes == 4, std::uint32_t, std::uint16_t>>>;

template <class Words>
KOKKOS_INLINE_FUNCTION void store_words(const Words& words, Words* to) {
#ifdef __CUDA_ARCH__
  // Of an assignment, nvcc makes as many stores as there are members.
  if constexpr (sizeof(Words) == 16) {
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(words.x), "r"(words.y),
                 "r"(words.z), "r"(words.w)
                 : "memory");
    return;
  }
#endif
  *to = words;
}

}  // namespace pack_detail

/// From an address aligned to the pack.
template <int Width, class T>
KOKKOS_INLINE_FUNCTION Pack<T, Width> load_pack(const T* from) {
  return *reinterpret_cast<const Pack<T, Width>*>(from);
}

/// To an address aligned to the pack.
template <int Width, class T>
KOKKOS_INLINE_FUNCTION void store_pack(const Pack<T, Width>& pack, T* to) {
  using Words = pack_detail::Words<sizeof pack>;
  constexpr int count = static_cast<int>(sizeof pack / sizeof(Words));
  Words words[count];
  std::memcpy(words, &pack, sizeof pack);
  for (int i = 0; i < count; ++i) {
    pack_detail::store_words(words[i], reinterpret_cast<Words*>(to) + i);
  }
}

/// Elements in the type that is computed in, as a pack where they lie like one.
template <int Width>
struct WidenPack {
  template <class T, class Acc>
  KOKKOS_INLINE_FUNCTION void operator()(const T* from, std::int64_t, Acc* to) const {
    if (reinterpret_cast<std::uintptr_t>(from) % sizeof(Pack<T, Width>) == 0) {
      const Pack<T, Width> pack = load_pack<Width>(from);
      widen_run(pack.values, Width, to);
    } else {
      widen_run(from, Width, to);
    }
  }
};

}  // namespace fastnorm::kokkos
