// SPDX-License-Identifier: Apache-2.0
/// The two passes over a dense row or a part of one, by the threads of a team of any Kokkos space:
/// what the strategies of devices are made of. `Crew` is WholeTeam or LanesOfThread.
#pragma once

#include "backends/kokkos/epilogue.hpp"
#include "backends/kokkos/pack.hpp"
#include "backends/kokkos/row_input.hpp"
#include "backends/kokkos/team_runs.hpp"
#include "backends/kokkos/thread_moments.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

namespace fastnorm::kokkos {

namespace team_kernels_detail {

/// h of a batch of elements.
template <class T, int Width, int Packs>
KOKKOS_FUNCTION void load_batch(const Normalization& call, const Batch<Width, Packs>& batch,
                                Accumulator<T>* h) {
  const T* x = static_cast<const T*>(call.tensors.x);
  Pack<T, Width> of_x[Packs];
  for (int p = 0; p < Packs; ++p) of_x[p] = load_pack<Width>(x + batch.pack(p));
  if (call.residual == Residual::none) {
    for (int p = 0; p < Packs; ++p) widen_run(of_x[p].values, Width, h + p * Width);
    return;
  }
  const T* residual = static_cast<const T*>(call.tensors.residual);
  Pack<T, Width> of_residual[Packs];
  for (int p = 0; p < Packs; ++p) of_residual[p] = load_pack<Width>(residual + batch.pack(p));
  for (int p = 0; p < Packs; ++p) {
    sum_run(of_x[p].values, of_residual[p].values, call.residual, Width, h + p * Width);
  }
}

/// Stores a batch's values as elements of a tensor of that type.
template <class Acc, int Width, int Packs>
KOKKOS_FUNCTION void store_batch(DType type, const Batch<Width, Packs>& batch, const Acc* values,
                                 void* tensor) {
  with_element<Acc>(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (int p = 0; p < Packs; ++p) {
      Pack<T, Width> pack;
      narrow_run(values + p * Width, Width, pack.values);
      store_pack<Width>(pack, static_cast<T*>(tensor) + batch.pack(p));
    }
  });
}

/// Maps `Width` values, all of that channel of the row.
template <int Width, class Acc>
KOKKOS_FUNCTION void map_one_channel(const Normalization& call, const FirstChannels& channels,
                                     const LineStandardizer<Acc>& standardizer,
                                     std::int64_t channel, const Acc* from, Acc* to) {
  Acc factor = 1;
  Acc offset = 0;
  read_channels(call, channels, channel, 1, WidenPack<1>(), &factor, &offset);
  const auto line = standardizer.line(factor, offset);
  for (int k = 0; k < Width; ++k) to[k] = line(from[k]);
}

/// The same, each of a channel of its own from that one on.
template <int Width, class Acc>
KOKKOS_FUNCTION void map_own_channels(const Normalization& call, const FirstChannels& channels,
                                      const LineStandardizer<Acc>& standardizer,
                                      std::int64_t channel, const Acc* from, Acc* to) {
  Acc factor[Width];
  Acc offset[Width];
  read_channels(call, channels, channel, Width, WidenPack<Width>(), factor, offset);
  for (int k = 0; k < Width; ++k) to[k] = standardizer.line(factor[k], offset[k])(from[k]);
}

/// The same from element i of the row on, of any channels.
template <int Width, class Acc>
KOKKOS_FUNCTION void map_channels(const Normalization& call, const FirstChannels& channels,
                                  const LineStandardizer<Acc>& standardizer, std::int64_t i,
                                  const Acc* from, Acc* to) {
  const std::int64_t inner = call.affine.inner;
  std::int64_t channel = call.by.inner.quotient(i);
  std::int64_t left = (channel + 1) * inner - i;
  if (left >= Width) {
    return map_one_channel<Width>(call, channels, standardizer, channel, from, to);
  }
  for (int k = 0; k < Width; ++k) {
    map_one_channel<1>(call, channels, standardizer, channel, from + k, to + k);
    if (--left == 0) {
      ++channel;
      left = inner;
    }
  }
}

/// Where a row's outputs are made.
template <class T>
struct RowOutput {
  const Normalization& call;
  const LineStandardizer<Accumulator<T>>& standardizer;
  std::int64_t first;  ///< Element of the tensor.
  FirstChannels channels;

  KOKKOS_FUNCTION RowOutput(const Normalization& normalization,
                            const LineStandardizer<Accumulator<T>>& of_row, std::int64_t row)
      : call(normalization),
        standardizer(of_row),
        first(row * normalization.row_len),
        channels(normalization.first_channels(row)) {}

  /// y of a batch, and the sum where it is wanted. map(width, standardizer, i, from, to)
  /// composes a standardizer with the affine maps of a pack's channels, from element i of the row
  /// on.
  template <int Width, int Packs, class MapPack>
  KOKKOS_FUNCTION void apply(const Batch<Width, Packs>& batch, const MapPack& map) const {
    using Acc = Accumulator<T>;
    Acc values[Width * Packs];
    load_batch<T>(call, batch, values);
    if (call.tensors.sum != nullptr) store_batch(call.x_type, batch, values, call.tensors.sum);
    const auto map_packs = [&](const LineStandardizer<Acc>& of_row, const Acc* from, Acc* to) {
      for (int p = 0; p < Packs; ++p) {
        map(std::integral_constant<int, Width>(), of_row, batch.pack(p) - first, from + p * Width,
            to + p * Width);
      }
    };
    apply_epilogue(call, standardizer, map_packs, values, Width * Packs, values);
    store_batch(call.y_type, batch, values, call.tensors.y);
  }

  /// That of a crew's share of a run, each thread `Packs` packs at a time.
  template <int Packs, int Width, class Crew, class MapPack>
  KOKKOS_FUNCTION void apply(const Crew& crew, const Run<Width>& run, const MapPack& map) const {
    const int threads = crew.threads();
    crew.each([&](int rank) {
      run.template visit<Packs>(rank, threads, [&](const auto& batch) { apply(batch, map); });
    });
  }
};

}  // namespace team_kernels_detail

/// Rows of elements of type T that follow each other, in packs of `Width`.
template <class T, int Width>
struct DensePasses {
  using Acc = Accumulator<T>;
  static constexpr int width = Width;

  /// Moments of the elements [begin, end) of a row, for every thread of the crew.
  template <class Crew>
  static KOKKOS_FUNCTION Moments moments(const Crew& crew, const Normalization& call,
                                         std::int64_t row, std::int64_t begin, std::int64_t end) {
    using namespace team_kernels_detail;
    const std::int64_t first = row * call.row_len;
    const Run<Width> run{first + begin, first + end};
    const int threads = crew.threads();
    return crew.merged([&](int rank, Moments& mine) {
      ThreadMoments<Acc> seen;
      run.template visit<packs_under_way(Width)>(rank, threads, [&](const auto& batch) {
        Acc h[std::decay_t<decltype(batch)>::size];
        load_batch<T>(call, batch, h);
        seen.add(call.statistics, h);
      });
      merge(mine, seen.moments(call.statistics));
    });
  }

  /// Writes the outputs of the elements [begin, end) of a row.
  template <class Crew>
  static KOKKOS_FUNCTION void apply(const Crew& crew, const Normalization& call,
                                    const LineStandardizer<Acc>& standardizer, std::int64_t row,
                                    std::int64_t begin, std::int64_t end) {
    using namespace team_kernels_detail;
    const RowOutput<T> output(call, standardizer, row);
    const Run<Width> run{output.first + begin, output.first + end};
    if (call.affine.inner == 1) {
      output.template apply<packs_with_channels(Width)>(
          crew, run,
          [&](auto width, const LineStandardizer<Acc>& of_row, std::int64_t i, const Acc* from,
              Acc* to) { map_own_channels<width()>(call, output.channels, of_row, i, from, to); });
    } else if (call.affine.inner % Width == 0) {
      output.template apply<packs_under_way(Width)>(
          crew, run,
          [&](auto width, const LineStandardizer<Acc>& of_row, std::int64_t i, const Acc* from,
              Acc* to) {
            map_one_channel<width()>(call, output.channels, of_row, call.by.inner.quotient(i), from,
                                     to);
          });
    } else {
      output.template apply<1>(
          crew, run,
          [&](auto width, const LineStandardizer<Acc>& of_row, std::int64_t i, const Acc* from,
              Acc* to) { map_channels<width()>(call, output.channels, of_row, i, from, to); });
    }
  }
};

}  // namespace fastnorm::kokkos
