// SPDX-License-Identifier: Apache-2.0
/// The two passes over a part of a row, by one host thread, in the ways that there are. Which one
/// serves a call is decided once for all of its rows: a short row takes no longer than a few such
/// decisions.
#pragma once

#include "backends/kokkos/isa.hpp"
#include "backends/kokkos/row_input.hpp"
#include "backends/kokkos/row_moments.hpp"
#include "backends/kokkos/row_output.hpp"
#include "backends/kokkos/scattered_passes.hpp"

#include <algorithm>
#include <cstdint>

namespace fastnorm::kokkos {
inline namespace FASTNORM_ISA {

/// Where everything lies in memory as it is computed with, and y is no more than an affine map of
/// x: straight from one to the other.
template <class Type>
struct DirectPasses {
  using Acc = Type;

  static bool serve(const Normalization& call) {
    return is_plain_input<Acc>(call) && call.y_type == dtype_of<Acc> &&
           call.epilogue.activation == Activation::none && !call.rounds_normalised() &&
           row_output_detail::has_plain_channels<Acc>(call);
  }

  /// Of the elements [begin, end) of the row, in blocks of at most `block` elements.
  template <int Lanes>
  static Moments moments(const Normalization& call, std::int64_t row, std::int64_t begin,
                         std::int64_t end, std::int64_t block) {
    const Acc* x = static_cast<const Acc*>(call.tensors.x) + row * call.row_len + begin;
    return part_moments<Lanes>(call.statistics, x, end - begin, block);
  }

  /// Writes y for the elements [begin, end) of the row.
  static void apply(const Normalization& call, const Standardizer<Acc>& standardizer,
                    std::int64_t row, std::int64_t begin, std::int64_t end) {
    const Acc* x = static_cast<const Acc*>(call.tensors.x) + row * call.row_len;
    Acc* y = static_cast<Acc*>(call.tensors.y) + row * call.row_len;
    if (call.stores == Stores::cached)
      return map(call, standardizer, row, x, begin, end, y + begin);
    Acc values[chunk_len];
    for (std::int64_t i = begin; i < end; i += chunk_len) {
      const std::int64_t stop = std::min(i + chunk_len, end);
      map(call, standardizer, row, x, i, stop, values);
      stream(y + i, values, static_cast<std::size_t>(stop - i) * sizeof(Acc));
    }
  }

 private:
  static void map(const Normalization& call, const Standardizer<Acc>& standardizer,
                  std::int64_t row, const Acc* x, std::int64_t begin, std::int64_t end, Acc* to) {
    using namespace row_output_detail;
    map_channels(standardizer, plain_channels<Acc>(call, row, begin), x + begin, end - begin, to);
  }
};

/// Whatever a descriptor can ask for of dense rows, by way of buffers.
template <class Type>
struct BufferedPasses {
  using Acc = Type;

  template <int Lanes>
  static Moments moments(const Normalization& call, std::int64_t row, std::int64_t begin,
                         std::int64_t end, std::int64_t block) {
    return moments_of_read<Lanes, Acc>(call.statistics, begin, end, block,
                                       [&](std::int64_t first, std::int64_t count, Acc* buffer) {
                                         return read_block(call, row * call.row_len + first, count,
                                                           buffer);
                                       });
  }

  /// Writes y, and the sum where it is wanted. In place is safe: a chunk is read before any of it
  /// is written.
  static void apply(const Normalization& call, const Standardizer<Acc>& standardizer,
                    std::int64_t row, std::int64_t begin, std::int64_t end) {
    using namespace row_output_detail;
    ChunkBuffers<Acc> buffers;
    for (std::int64_t i = begin; i < end; i += chunk_len) {
      apply_chunk(call, standardizer, row, i, std::min(i + chunk_len, end), buffers);
    }
  }
};

}  // namespace FASTNORM_ISA
}  // namespace fastnorm::kokkos
