// SPDX-License-Identifier: Apache-2.0
/// The outputs of a part of a row, by one host thread.
#pragma once

#include "backends/kokkos/epilogue.hpp"
#include "backends/kokkos/isa.hpp"
#include "backends/kokkos/row_input.hpp"
#include "backends/kokkos/write_run.hpp"

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace fastnorm::kokkos {
inline namespace FASTNORM_ISA {

namespace row_output_detail {

/// The affine maps of consecutive channels.
template <class Acc>
struct ChannelRun {
  const Acc* factor;   ///< Null: 1 throughout.
  const Acc* offset;   ///< Null: 0 throughout.
  std::int64_t inner;  ///< Elements of a channel...
  std::int64_t left;   ///< ...and those of the first one that are left.

  typename Standardizer<Acc>::Line line(const Standardizer<Acc>& standardizer,
                                        std::int64_t channel) const {
    return standardizer.line(factor != nullptr ? factor[channel] : Acc{1},
                             offset != nullptr ? offset[channel] : Acc{0});
  }
};

/// Channel of an element of a row. Most parts begin with the row, where no division is needed.
inline std::int64_t channel_of(std::int64_t element, std::int64_t inner) {
  return element == 0 || inner == 1 ? element : element / inner;
}

/// Whether gamma and beta are the affine maps as they lie in memory.
template <class Acc>
bool has_plain_channels(const Normalization& call) {
  const bool as_they_lie =
      call.affine_type == dtype_of<Acc> && call.epilogue.gamma == GammaForm::factor;
  const bool absent = call.tensors.gamma == nullptr && call.tensors.beta == nullptr;
  return call.epilogue.modulation == Modulation::none && (as_they_lie || absent);
}

/// Channels of a single element: their maps change with every one.
template <class Acc>
void map_neighbours(const Standardizer<Acc>& standardizer, const ChannelRun<Acc>& channels,
                    const Acc* from, std::int64_t count, Acc* to) {
  const auto plain = standardizer.line(Acc{1}, Acc{0});
  for (std::int64_t i = 0; i < count; ++i) {
    const Acc factor = channels.factor != nullptr ? channels.factor[i] : Acc{1};
    const Acc offset = channels.offset != nullptr ? channels.offset[i] : Acc{0};
    to[i] = plain(from[i]) * factor + offset;
  }
}

/// `count` elements from the run's first on.
template <class Acc>
void map_channels(const Standardizer<Acc>& standardizer, const ChannelRun<Acc>& channels,
                  const Acc* from, std::int64_t count, Acc* to) {
  if (channels.factor == nullptr && channels.offset == nullptr) {
    const auto line = standardizer.line(Acc{1}, Acc{0});
    for (std::int64_t i = 0; i < count; ++i) to[i] = line(from[i]);
    return;
  }
  if (channels.inner == 1) return map_neighbours(standardizer, channels, from, count, to);
  std::int64_t run_end = channels.left;
  std::int64_t channel = 0;
  for (std::int64_t i = 0; i < count; run_end += channels.inner, ++channel) {
    const auto line = channels.line(standardizer, channel);
    for (const std::int64_t stop = std::min(run_end, count); i < stop; ++i) to[i] = line(from[i]);
  }
}

/// The channels from that of element `begin` on, as they lie in memory.
template <class Acc>
ChannelRun<Acc> plain_channels(const Normalization& call, std::int64_t row, std::int64_t begin) {
  const std::int64_t inner = call.affine.inner;
  const std::int64_t first = channel_of(begin, inner);
  const std::int64_t channel = call.first_channel(row) + first;
  const auto at = [channel](const void* tensor) {
    return tensor != nullptr ? static_cast<const Acc*>(tensor) + channel : nullptr;
  };
  return {at(call.tensors.gamma), at(call.tensors.beta), inner, (first + 1) * inner - begin};
}

/// Where what lies in memory is not what is computed with.
template <class Acc>
struct ChunkBuffers {
  Acc values[chunk_len];
  Acc factor[chunk_len];
  Acc offset[chunk_len];
};

/// Those that the elements [begin, end), of a chunk at most, meet.
template <class Acc>
ChannelRun<Acc> chunk_channels(const Normalization& call, std::int64_t row, std::int64_t begin,
                               std::int64_t end, ChunkBuffers<Acc>& buffers) {
  if (has_plain_channels<Acc>(call)) return plain_channels<Acc>(call, row, begin);
  const std::int64_t inner = call.affine.inner;
  const std::int64_t first = channel_of(begin, inner);
  const std::int64_t count = channel_of(end - 1, inner) + 1 - first;
  read_channels(call, row, first, count, buffers.factor, buffers.offset);
  return {buffers.factor, buffers.offset, inner, (first + 1) * inner - begin};
}

template <class Acc>
void apply_chunk(const Normalization& call, const Standardizer<Acc>& standardizer, std::int64_t row,
                 std::int64_t begin, std::int64_t end, ChunkBuffers<Acc>& buffers) {
  const std::int64_t at = row * call.row_len + begin;
  const std::int64_t count = end - begin;
  const Acc* h = read_block(call, at, count, buffers.values);
  if (call.tensors.sum != nullptr) {
    write_run(call.stores, call.x_type, h, count, call.tensors.sum, at);
  }
  const ChannelRun<Acc> channels = chunk_channels(call, row, begin, end, buffers);
  const auto map = [&](const Standardizer<Acc>& of_row, const Acc* from, Acc* to) {
    map_channels(of_row, channels, from, count, to);
  };
  if (call.y_type == dtype_of<Acc> && call.stores == Stores::cached) {
    apply_epilogue(call, standardizer, map, h, count, static_cast<Acc*>(call.tensors.y) + at);
  } else {
    apply_epilogue(call, standardizer, map, h, count, buffers.values);
    write_run(call.stores, call.y_type, buffers.values, count, call.tensors.y, at);
  }
}

}  // namespace row_output_detail

}  // namespace FASTNORM_ISA
}  // namespace fastnorm::kokkos
