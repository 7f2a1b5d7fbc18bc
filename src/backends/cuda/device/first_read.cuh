// SPDX-License-Identifier: Apache-2.0
/// The first read of a row, or of a part of it: its moments.
#pragma once

#include "backends/cuda/device/moments.cuh"
#include "backends/cuda/device/row_input.cuh"
#include "backends/cuda/device/span.cuh"

#include <cstdint>

namespace fastnorm::cuda {

template <class T, int kVec, int kUnroll>
__device__ __forceinline__ void add_page(ThreadMoments<Accumulator<T>>& moments,
                                         const RowInput<T>& input, int length, CachePolicy hint) {
  const Span<T, kVec> span(input.x, length);
  const int step = static_cast<int>(blockDim.x);
  Accumulator<T> chunk[kUnroll * kVec];

  int vector = static_cast<int>(threadIdx.x);
  for (; vector + (kUnroll - 1) * step < span.vectors; vector += kUnroll * step) {
    input.template load_vectors<kVec, kUnroll>(span.head, vector, step, span.vectors, hint, chunk);
    moments.add(chunk);
  }
  if (kUnroll > 1 && vector < span.vectors) {
    // Fewer than kUnroll vectors are left for this thread, all loaded before the first is used.
    input.template load_vectors<kVec, kUnroll>(span.head, vector, step, span.vectors, hint, chunk);
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      if (vector + u * step >= span.vectors) break;
      Accumulator<T> of_vector[kVec];
#pragma unroll
      for (int k = 0; k < kVec; ++k) of_vector[k] = chunk[u * kVec + k];
      moments.add(of_vector);
    }
  }
  if (const int edge = span.edge(static_cast<int>(threadIdx.x)); edge >= 0) {
    const Accumulator<T> value[1] = {input.load_element(edge, hint)};
    moments.add(value);
  }
}

/// Moments of `length` elements from element `begin` of x's memory on, read by the whole block, for
/// every thread. Every thread of the block calls it, and between two calls there must be a barrier.
template <class T, int kVec, int kUnroll>
__device__ __forceinline__ PartMoments<Accumulator<T>> read_moments(const RowParams& params,
                                                                    std::int64_t begin,
                                                                    std::int64_t length) {
  constexpr int kVectors = chunks_before_merge * kUnroll;
  static_assert(std::int64_t{kVectors} * kVec * 1024 <= page_len, "its indices fit 32 bits");
  const CachePolicy hint(params.cache.load);
  const std::int64_t page_size = std::int64_t{kVectors} * kVec * blockDim.x;
  PartMoments<Accumulator<T>> moments;
  for (std::int64_t page = 0; page < length; page += page_size) {
    const std::int64_t left = length - page;
    ThreadMoments<Accumulator<T>> of_page;
    add_page<T, kVec, kUnroll>(of_page, RowInput<T>(params, begin + page),
                               static_cast<int>(left < page_size ? left : page_size), hint);
    moments = merge(moments, of_page.part());
  }
  return merge_warps(merge_lanes(moments));
}

}  // namespace fastnorm::cuda
