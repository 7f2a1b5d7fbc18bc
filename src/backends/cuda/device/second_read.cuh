// SPDX-License-Identifier: Apache-2.0
/// The second read of a row, or of a part of it: the output.
#pragma once

#include "backends/cuda/device/epilogue.cuh"
#include "backends/cuda/device/row_input.cuh"
#include "backends/cuda/device/run_output.cuh"
#include "backends/cuda/device/span.cuh"

#include <cstdint>

namespace fastnorm::cuda {

template <class T, int kVec, int kUnroll>
__device__ __forceinline__ void write_page(const RowParams& params, const RowPlace& place,
                                           int length, CachePolicy hint,
                                           const RowEpilogue<T>& epilogue) {
  const RowInput<T> input(params, place.x);
  const Span<T, kVec> span(input.x, length);
  const CachePolicy store_hint(params.cache.store);
  const RunOutput<T, RowForm::fused> output(params, store_hint, epilogue);
  constexpr int kTile = tile_of<kVec, kUnroll>;
  const int step = static_cast<int>(blockDim.x);
  const int tile = kUnroll * step;
  const int tiles = (span.vectors + tile - 1) / tile;
  for (int t = 0; t < tiles; ++t) {
    const int at = params.cache.second_read == WalkOrder::forward ? t : tiles - 1 - t;
    const int vector = at * tile + static_cast<int>(threadIdx.x);
    Accumulator<T> values[kUnroll * kVec];
    input.template load_vectors<kVec, kUnroll>(span.head, vector, step, span.vectors, hint, values);
#pragma unroll
    for (int first = 0; first < kUnroll; first += kTile) {
      const int left = span.vectors - vector - first * step;
      if (left <= 0) break;
      const int element = span.head + (vector + first * step) * kVec;
      Accumulator<T> of_tile[kTile * kVec];
#pragma unroll
      for (int k = 0; k < kTile * kVec; ++k) of_tile[k] = values[first * kVec + k];
      output.template write<kVec>(RunTile<int>{place + element, element, left, step}, of_tile);
    }
  }
  if (const int edge = span.edge(static_cast<int>(threadIdx.x)); edge >= 0) {
    Accumulator<T> value[1] = {input.load_element(edge, hint)};
    write_vector<T>(params, place + edge, store_hint, epilogue, edge, value);
  }
}

/// Writes elements [begin, begin + length) of the row. x and y have the row's elements equally far
/// from a vector's alignment, or kVec is 1.
template <class T, int kVec, int kUnroll>
__device__ __forceinline__ void write_normalised(const RowParams& params, std::int64_t row,
                                                 std::int64_t begin, std::int64_t length,
                                                 const RowStatistics<Accumulator<T>>& statistics) {
  const CachePolicy hint(params.cache.last_load());
  const RowPlace place = params.geometry.place(row) + begin;
  const std::int64_t pages = (length + page_len - 1) / page_len;
  for (std::int64_t p = 0; p < pages; ++p) {
    const std::int64_t page =
        (params.cache.second_read == WalkOrder::forward ? p : pages - 1 - p) * page_len;
    const std::int64_t left = length - page;
    write_page<T, kVec, kUnroll>(params, place + page,
                                 static_cast<int>(left < page_len ? left : page_len), hint,
                                 RowEpilogue<T>(params, row, begin + page, statistics));
  }
}

}  // namespace fastnorm::cuda
