// SPDX-License-Identifier: Apache-2.0
/// A contiguous run of elements, cut for vector access.
#pragma once

#include <cstdint>

namespace fastnorm::cuda {

/// `head` elements up to the first address aligned for a vector, `vectors` whole ones, `tail`
/// elements: rows of odd length start at any alignment, and are read in vectors all the same.
template <class T, int kVec>
struct Span {
  int head = 0;
  int vectors = 0;
  int tail = 0;

  __device__ __forceinline__ Span(const T* begin, int length) {
    if constexpr (kVec > 1) {
      const auto element =
          static_cast<unsigned int>(reinterpret_cast<std::uintptr_t>(begin) / sizeof(T));
      head = static_cast<int>((kVec - element % kVec) % kVec);
      if (head > length) head = length;
    }
    vectors = (length - head) / kVec;
    tail = length - head - vectors * kVec;
  }

  /// Index of the edge element that thread `t` takes, or -1.
  __device__ __forceinline__ int edge(int t) const {
    if (t < head) return t;
    if (t < head + tail) return t + vectors * kVec;
    return -1;
  }
};

}  // namespace fastnorm::cuda
