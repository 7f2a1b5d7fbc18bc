// SPDX-License-Identifier: Apache-2.0
/// The two passes over rows that lie in several pieces, or whose channels come again and again
/// (channels-last), by one host thread: elements are gathered into a buffer, and results scattered
/// from it.
#pragma once

#include "backends/kokkos/isa.hpp"
#include "backends/kokkos/row_input.hpp"
#include "backends/kokkos/row_moments.hpp"
#include "backends/kokkos/row_output.hpp"

#include <algorithm>
#include <cstdint>

namespace fastnorm::kokkos {
inline namespace FASTNORM_ISA {

namespace scattered_detail {

/// Calls piece(element of the tensor, elements before it, elements) for each run, or part of one,
/// of the elements [begin, end) of a row.
template <class Piece>
void for_each_piece(const RowMemory& memory, const RowStrides& strides, std::int64_t row,
                    std::int64_t begin, std::int64_t end, const Piece& piece) {
  const std::int64_t first =
      row / memory.rows_per_outer * strides.outer + row % memory.rows_per_outer * strides.row;
  std::int64_t run = begin / memory.run_len;
  std::int64_t into_run = begin - run * memory.run_len;
  for (std::int64_t i = begin; i < end; ++run, into_run = 0) {
    const std::int64_t count = std::min(memory.run_len - into_run, end - i);
    piece(first + run * strides.run + into_run, i - begin, count);
    i += count;
  }
}

/// h of the elements [begin, end) of a row.
template <class Acc>
void gather(const Normalization& call, std::int64_t row, std::int64_t begin, std::int64_t end,
            Acc* h) {
  with_element<Acc>(call.x_type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<Accumulator<T>, Acc>) {
      const auto* x = static_cast<const T*>(call.tensors.x);
      const auto* residual = static_cast<const T*>(call.tensors.residual);
      for_each_piece(call.memory, call.memory.x, row, begin, end,
                     [&](std::int64_t at, std::int64_t before, std::int64_t count) {
                       sum_run(x + at, residual == nullptr ? nullptr : residual + at, call.residual,
                               count, h + before);
                     });
    }
  });
}

/// The values become elements [begin, end) of a row of a tensor with these strides.
template <class Acc>
void scatter(const Normalization& call, DType type, const RowStrides& strides, std::int64_t row,
             std::int64_t begin, std::int64_t end, const Acc* values, void* tensor) {
  with_element<Acc>(type, [&](auto tag) {
    auto* to = static_cast<typename decltype(tag)::type*>(tensor);
    for_each_piece(call.memory, strides, row, begin, end,
                   [&](std::int64_t at, std::int64_t before, std::int64_t count) {
                     narrow_run(values + before, count, to + at);
                   });
  });
}

/// The channels of the elements [begin, end), of a chunk at most.
template <class Acc>
row_output_detail::ChannelRun<Acc> channels_of(const Normalization& call, std::int64_t row,
                                               std::int64_t begin, std::int64_t end,
                                               row_output_detail::ChunkBuffers<Acc>& buffers) {
  const AffineMap& affine = call.affine;
  if (affine.channels_per_row * affine.inner >= call.row_len) {
    return row_output_detail::chunk_channels(call, row, begin, end, buffers);
  }
  // Channels-last: one after the other, and from the first one on again.
  for (std::int64_t i = begin; i < end;) {
    const std::int64_t channel = i % affine.channels_per_row;
    const std::int64_t count = std::min(affine.channels_per_row - channel, end - i);
    read_channels(call, row, channel, count, buffers.factor + (i - begin),
                  buffers.offset + (i - begin));
    i += count;
  }
  return {buffers.factor, buffers.offset, 1, 1};
}

}  // namespace scattered_detail

template <class Type>
struct ScatteredPasses {
  using Acc = Type;

  template <int Lanes>
  static Moments moments(const Normalization& call, std::int64_t row, std::int64_t begin,
                         std::int64_t end, std::int64_t block) {
    return moments_of_read<Lanes, Acc>(call.statistics, begin, end, block,
                                       [&](std::int64_t first, std::int64_t count, Acc* buffer) {
                                         scattered_detail::gather(call, row, first, first + count,
                                                                  buffer);
                                         return buffer;
                                       });
  }

  /// In place is safe: a chunk is read before any of it is written.
  static void apply(const Normalization& call, const Standardizer<Acc>& standardizer,
                    std::int64_t row, std::int64_t begin, std::int64_t end) {
    row_output_detail::ChunkBuffers<Acc> buffers;
    for (std::int64_t i = begin; i < end; i += chunk_len) {
      apply_chunk(call, standardizer, row, i, std::min(i + chunk_len, end), buffers);
    }
  }

 private:
  static void apply_chunk(const Normalization& call, const Standardizer<Acc>& standardizer,
                          std::int64_t row, std::int64_t begin, std::int64_t end,
                          row_output_detail::ChunkBuffers<Acc>& buffers) {
    using namespace scattered_detail;
    const std::int64_t count = end - begin;
    gather(call, row, begin, end, buffers.values);
    if (call.tensors.sum != nullptr) {
      scatter(call, call.x_type, call.memory.x, row, begin, end, buffers.values, call.tensors.sum);
    }
    const auto channels = channels_of(call, row, begin, end, buffers);
    const auto map = [&](const Standardizer<Acc>& of_row, const Acc* from, Acc* to) {
      row_output_detail::map_channels(of_row, channels, from, count, to);
    };
    apply_epilogue(call, standardizer, map, buffers.values, count, buffers.values);
    scatter(call, call.y_type, call.memory.y, row, begin, end, buffers.values, call.tensors.y);
  }
};

}  // namespace FASTNORM_ISA
}  // namespace fastnorm::kokkos
