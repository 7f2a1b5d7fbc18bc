/// The first read of a row, or of a part of it: its moments.
#pragma once

#include "backends/cuda/device/moments.cuh"
#include "backends/cuda/device/row_params.hpp"
#include "backends/cuda/device/span.cuh"
#include "backends/cuda/device/vector_io.cuh"

#include <cstdint>

namespace fastnorm::cuda {

template <class T, int kVec, int kUnroll>
__device__ __forceinline__ void add_page(ThreadMoments& moments, const T* begin, int length) {
  const Span<T, kVec> span(begin, length);
  const T* const body = begin + span.head;
  const int step = static_cast<int>(blockDim.x);

  float chunk[kUnroll * kVec];
  const auto load_vector = [&](int u, int vector) {
    float values[kVec];
    load(body + vector * kVec, values);
#pragma unroll
    for (int k = 0; k < kVec; ++k) chunk[u * kVec + k] = values[k];
  };

  int vector = static_cast<int>(threadIdx.x);
  for (; vector + (kUnroll - 1) * step < span.vectors; vector += kUnroll * step) {
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) load_vector(u, vector + u * step);
    moments.add(chunk);
  }
  if (kUnroll > 1 && vector < span.vectors) {
    // Fewer than kUnroll vectors are left for this thread, all loaded before the first is used.
    int present = 0;
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      if (vector + u * step < span.vectors) {
        load_vector(u, vector + u * step);
        present += kVec;
      } else {
#pragma unroll
        for (int k = 0; k < kVec; ++k) chunk[u * kVec + k] = 0;
      }
    }
    moments.add_some(chunk, present);
  }
  if (const int edge = span.edge(static_cast<int>(threadIdx.x)); edge >= 0) {
    const float value[1] = {static_cast<float>(begin[edge])};
    moments.add(value);
  }
}

/// After so many vectors a thread hands its moments on and begins anew: in fp32, a sum of very many
/// chunks would no longer notice the next one.
inline constexpr int vectors_before_merge = 8192;

/// Moments of `length` elements at `begin`, read by the whole block; valid in thread 0.
template <class T, int kVec, int kUnroll>
__device__ __forceinline__ PartMoments read_moments(const T* begin, std::int64_t length) {
  static_assert(vectors_before_merge % kUnroll == 0, "a page is a whole number of tiles");
  static_assert(std::int64_t{vectors_before_merge} * 4 * 1024 <= page_len,
                "its indices fit 32 bits");
  const std::int64_t page_size = std::int64_t{vectors_before_merge} * kVec * blockDim.x;
  PartMoments moments;
  for (std::int64_t page = 0; page < length; page += page_size) {
    const std::int64_t left = length - page;
    ThreadMoments of_page;
    add_page<T, kVec, kUnroll>(of_page, begin + page,
                               static_cast<int>(left < page_size ? left : page_size));
    moments = merge(moments, to_part(of_page));
  }
  return merge_block(moments);
}

}  // namespace fastnorm::cuda
