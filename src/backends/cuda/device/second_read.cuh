/// The second read of a row, or of a part of it: the output.
#pragma once

#include "backends/cuda/device/epilogue.cuh"
#include "backends/cuda/device/row_params.hpp"
#include "backends/cuda/device/span.cuh"
#include "backends/cuda/device/vector_io.cuh"

#include <cstdint>

namespace fastnorm::cuda {

template <class T, int kVec, int kUnroll>
__device__ __forceinline__ void write_page(const RowParams<T>& params, const T* x, T* y, int length,
                                           const Epilogue<T>& epilogue) {
  const Span<T, kVec> span(x, length);
  const int step = static_cast<int>(blockDim.x);
  const int tile = kUnroll * step;
  const int tiles = (span.vectors + tile - 1) / tile;
  for (int t = 0; t < tiles; ++t) {
    const int at = params.second_read == WalkOrder::forward ? t : tiles - 1 - t;
    const int vector = at * tile + static_cast<int>(threadIdx.x);
    float values[kUnroll][kVec];
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      if (vector + u * step < span.vectors) {
        load(x + span.head + (vector + u * step) * kVec, values[u], params.cache);
      }
    }
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      if (vector + u * step < span.vectors) {
        const int element = span.head + (vector + u * step) * kVec;
        epilogue.apply(element, values[u]);
        store(y + element, values[u], params.cache);
      }
    }
  }
  if (const int edge = span.edge(static_cast<int>(threadIdx.x)); edge >= 0) {
    float value[1] = {static_cast<float>(x[edge])};
    epilogue.apply(edge, value);
    store(y + edge, value, params.cache);
  }
}

/// Writes elements [begin, begin + length) of the row. x and y have the same offset from a vector's
/// alignment, or kVec is 1.
template <class T, int kVec, int kUnroll>
__device__ __forceinline__ void write_normalised(const RowParams<T>& params, std::int64_t row,
                                                 std::int64_t begin, std::int64_t length,
                                                 const RowStatistics& statistics) {
  const std::int64_t pages = (length + page_len - 1) / page_len;
  for (std::int64_t p = 0; p < pages; ++p) {
    const std::int64_t page =
        (params.second_read == WalkOrder::forward ? p : pages - 1 - p) * page_len;
    const std::int64_t left = length - page;
    const std::int64_t offset = row * params.geometry.row_len + begin + page;
    write_page<T, kVec, kUnroll>(params, params.x + offset, params.y + offset,
                                 static_cast<int>(left < page_len ? left : page_len),
                                 Epilogue<T>(params, row, begin + page, statistics));
  }
}

/// The optional outputs, by one thread of the row.
template <class T>
__device__ __forceinline__ void write_statistics(const RowParams<T>& params, std::int64_t row,
                                                 const RowStatistics& statistics) {
  if (params.mean != nullptr) params.mean[row] = statistics.mean;
  if (params.rstd != nullptr) params.rstd[row] = statistics.rstd;
}

}  // namespace fastnorm::cuda
