// SPDX-License-Identifier: Apache-2.0
/// The two reads of a row that lies in runs: its moments, and its output. A vector lies within one
/// run and has one channel, or neighbouring ones.
#pragma once

#include "backends/cuda/device/activation.cuh"
#include "backends/cuda/device/epilogue.cuh"
#include "backends/cuda/device/moments.cuh"
#include "backends/cuda/device/row_input.cuh"
#include "backends/cuda/device/row_output.cuh"
#include "backends/cuda/device/strided_geometry.hpp"

#include <cstdint>

namespace fastnorm::cuda {

/// A thread's vectors of a page, `step` elements apart.
template <class T, int kVec, int kUnroll>
struct StridedTile {
  using Acc = Accumulator<T>;
  static constexpr int kValues = kUnroll * kVec;

  int first;  ///< The first one's first element.
  int step;
  int length;  ///< Of the page.

  __device__ __forceinline__ int element(int u) const { return first + u * step; }
  __device__ __forceinline__ bool holds(int u) const { return element(u) < length; }

  /// h of those that are there, all loaded before the first is used; zero of the others.
  __device__ __forceinline__ void load_values(const RowInput<T>& input, const StridedPlaces& places,
                                              CachePolicy hint, Acc (&values)[kValues]) const {
    load_tensor(input.x, places, hint, values);
    if (input.residual == nullptr) return;
    Acc added[kValues];
    load_tensor(input.residual, places, hint, added);
#pragma unroll
    for (int v = 0; v < kValues; ++v) values[v] = input.sum(values[v], added[v]);
  }

  /// Calls function(first element, values) for each vector that is there.
  template <class Function>
  __device__ __forceinline__ void for_each(Acc (&values)[kValues], Function&& function) const {
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      if (!holds(u)) break;
      Acc vector[kVec];
#pragma unroll
      for (int k = 0; k < kVec; ++k) vector[k] = values[u * kVec + k];
      function(element(u), vector);
#pragma unroll
      for (int k = 0; k < kVec; ++k) values[u * kVec + k] = vector[k];
    }
  }

 private:
  __device__ __forceinline__ void load_tensor(const T* tensor, const StridedPlaces& places,
                                              CachePolicy hint, Acc (&values)[kValues]) const {
    Packed<T, kVec> packed[kUnroll] = {};
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      if (holds(u)) packed[u] = load<T, kVec>(tensor + places.in_x(element(u)), hint);
    }
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) unpack_into(packed[u], u, values);
  }
};

/// Of elements [begin, begin + length) of the row whose first element is at `row`, read by the
/// whole block, for every thread. Every thread of the block calls it, and between two calls there
/// must be a barrier.
template <class T, int kVec, int kUnroll>
__device__ __forceinline__ PartMoments<Accumulator<T>> read_strided_moments(
    const RowParams& params, const StridedGeometry& strided, const RowPlace& row,
    std::int64_t begin, std::int64_t length) {
  using Tile = StridedTile<T, kVec, kUnroll>;
  const CachePolicy hint(params.cache.load);
  const RowInput<T> input(params, 0);
  const int step = kVec * static_cast<int>(blockDim.x);
  const std::int64_t page_size = std::int64_t{chunks_before_merge} * kUnroll * step;
  PartMoments<Accumulator<T>> moments;
  for (std::int64_t page = 0; page < length; page += page_size) {
    const std::int64_t left = length - page;
    const StridedPlaces places(strided, row, begin + page);
    ThreadMoments<Accumulator<T>> of_page;
    Tile tile{kVec * static_cast<int>(threadIdx.x), step,
              static_cast<int>(left < page_size ? left : page_size)};
    for (; tile.holds(0); tile.first += kUnroll * step) {
      Accumulator<T> values[Tile::kValues];
      tile.load_values(input, places, hint, values);
      if (tile.holds(kUnroll - 1)) {
        of_page.add(values);
      } else {
        tile.for_each(values, [&](int, const auto& vector) { of_page.add(vector); });
      }
    }
    moments = merge(moments, of_page.part());
  }
  return merge_warps(merge_lanes(moments));
}

/// The affine map of kVec elements from element i of the page on. `row`: as of the row's first
/// page.
template <int kVec, class T>
__device__ __forceinline__ AffineValues<Accumulator<T>, kVec> strided_affine(
    const RowChannels<T>& row, const StridedChannels& channels, int i) {
  if (channels.differ()) return row.template of_neighbours<kVec>(channels(i));
  const AffineValues<Accumulator<T>, 1> shared = row.template of_neighbours<1>(channels(i));
  AffineValues<Accumulator<T>, kVec> affine;
#pragma unroll
  for (int k = 0; k < kVec; ++k) {
    affine.factor[k] = shared.factor[0];
    affine.offset[k] = shared.offset[0];
  }
  return affine;
}

template <class T, int kVec, int kUnroll>
__device__ __forceinline__ void write_strided_tile(const RowParams& params,
                                                   const StridedTile<T, kVec, kUnroll>& tile,
                                                   const StridedPlaces& places,
                                                   const StridedChannels& channels,
                                                   const RowEpilogue<T>& epilogue, CachePolicy hint,
                                                   Accumulator<T> (&values)[kUnroll * kVec]) {
  if (params.tensors.sum != nullptr) {
    T* const sum = static_cast<T*>(params.tensors.sum);
    tile.for_each(values, [&](int i, const auto& vector) {
      store(sum + places.in_x(i), pack<T>(vector), hint);
    });
  }
  tile.for_each(values, [&](int i, auto& vector) {
    // Four at a time: the factors and offsets of eight would take too many registers.
    constexpr int kPiece = kVec < 4 ? kVec : 4;
#pragma unroll
    for (int piece = 0; piece < kVec; piece += kPiece) {
      Accumulator<T> of_piece[kPiece];
#pragma unroll
      for (int k = 0; k < kPiece; ++k) of_piece[k] = vector[piece + k];
      epilogue.apply(strided_affine<kPiece>(epilogue.channels(), channels, i + piece), of_piece);
#pragma unroll
      for (int k = 0; k < kPiece; ++k) vector[piece + k] = of_piece[k];
    }
  });
  activate(params.epilogue, values);
  with_output_type<T>(params.y_type, [&](auto tag) {
    using Out = typename decltype(tag)::type;
    Out* const y = static_cast<Out*>(params.tensors.y);
    tile.for_each(
        values, [&](int i, const auto& vector) { store_values(y + places.in_y(i), vector, hint); });
  });
}

/// Writes elements [begin, begin + length) of row number `number`, whose first element is at `row`.
template <class T, int kVec, int kUnroll>
__device__ __forceinline__ void write_strided(const RowParams& params,
                                              const StridedGeometry& strided, std::int64_t number,
                                              const RowPlace& row, std::int64_t begin,
                                              std::int64_t length,
                                              const RowStatistics<Accumulator<T>>& statistics) {
  using Tile = StridedTile<T, kVec, kUnroll>;
  const bool forward = params.cache.second_read == WalkOrder::forward;
  const CachePolicy hint(params.cache.last_load());
  const CachePolicy store_hint(params.cache.store);
  const RowInput<T> input(params, 0);
  const RowEpilogue<T> epilogue(params, number, 0, statistics);
  const int step = kVec * static_cast<int>(blockDim.x);
  const std::int64_t pages = (length + page_len - 1) / page_len;
  for (std::int64_t p = 0; p < pages; ++p) {
    const std::int64_t page = (forward ? p : pages - 1 - p) * page_len;
    const std::int64_t left = length - page;
    const StridedPlaces places(strided, row, begin + page);
    const StridedChannels channels(strided, begin + page);
    const int page_length = static_cast<int>(left < page_len ? left : page_len);
    const int tiles = (page_length + kUnroll * step - 1) / (kUnroll * step);
    for (int t = 0; t < tiles; ++t) {
      const int at = (forward ? t : tiles - 1 - t) * kUnroll * step;
      const Tile tile{at + kVec * static_cast<int>(threadIdx.x), step, page_length};
      Accumulator<T> values[Tile::kValues];
      tile.load_values(input, places, hint, values);
      write_strided_tile(params, tile, places, channels, epilogue, store_hint, values);
    }
  }
}

}  // namespace fastnorm::cuda
