/// The first read of a row, or of a part of it: its moments.
#pragma once

#include "backends/cuda/device/moments.cuh"
#include "backends/cuda/device/row_input.cuh"
#include "backends/cuda/device/span.cuh"

#include <cstdint>

namespace fastnorm::cuda {

template <class T, int kVec, int kUnroll>
__device__ __forceinline__ void add_page(ThreadMoments<Accumulator<T>>& moments,
                                         const RowInput<T>& input, int length, LoadPolicy hint) {
  const Span<T, kVec> span(input.x, length);
  const int step = static_cast<int>(blockDim.x);
  Accumulator<T> chunk[kUnroll * kVec];

  int vector = static_cast<int>(threadIdx.x);
  for (; vector + (kUnroll - 1) * step < span.vectors; vector += kUnroll * step) {
    input.template load_vectors<kVec, kUnroll>(span.head, vector, step, span.vectors, hint, chunk);
    moments.add(chunk);
  }
  if (kUnroll > 1 && vector < span.vectors) {
    const int present = (span.vectors - vector + step - 1) / step;
    input.template load_vectors<kVec, kUnroll>(span.head, vector, step, span.vectors, hint, chunk);
    moments.add_some(chunk, present * kVec);
  }
  if (const int edge = span.edge(static_cast<int>(threadIdx.x)); edge >= 0) {
    const Accumulator<T> value[1] = {input.load_element(edge, hint)};
    moments.add(value);
  }
}

/// After so many vectors a thread hands its moments on and begins anew: in fp32, a sum of very many
/// chunks would no longer notice the next one.
inline constexpr int vectors_before_merge = 8192;

/// Moments of `length` elements from element `begin` of the tensor on, read by the whole block;
/// valid in thread 0.
template <class T, int kVec, int kUnroll>
__device__ __forceinline__ PartMoments<Accumulator<T>> read_moments(const RowParams& params,
                                                                    std::int64_t begin,
                                                                    std::int64_t length) {
  static_assert(vectors_before_merge % kUnroll == 0, "a page is a whole number of tiles");
  static_assert(std::int64_t{vectors_before_merge} * kVec * 1024 <= page_len,
                "its indices fit 32 bits");
  const LoadPolicy hint(params.cache.load);
  const std::int64_t page_size = std::int64_t{vectors_before_merge} * kVec * blockDim.x;
  PartMoments<Accumulator<T>> moments;
  for (std::int64_t page = 0; page < length; page += page_size) {
    const std::int64_t left = length - page;
    ThreadMoments<Accumulator<T>> of_page;
    add_page<T, kVec, kUnroll>(of_page, RowInput<T>(params, begin + page),
                               static_cast<int>(left < page_size ? left : page_size), hint);
    moments = merge(moments, to_part(of_page));
  }
  return merge_block(moments);
}

}  // namespace fastnorm::cuda
