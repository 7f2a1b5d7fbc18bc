// SPDX-License-Identifier: Apache-2.0
/// The two passes of team_kernels.hpp over rows whose elements lie anywhere: channels-last tensors,
/// layer_norm over channels, strides. Elements move one by one.
#pragma once

#include "backends/kokkos/epilogue.hpp"
#include "backends/kokkos/pack.hpp"
#include "backends/kokkos/row_input.hpp"
#include "backends/kokkos/team_runs.hpp"
#include "backends/kokkos/thread_moments.hpp"

#include <cstdint>
#include <type_traits>

namespace fastnorm::kokkos {

namespace strided_kernels_detail {

/// Elements that a thread has in flight: as many as there are registers for their places.
inline constexpr int reads_under_way = 8;
inline constexpr int writes_under_way = 4;

/// Where a row's elements are.
class StridedRow {
 public:
  KOKKOS_FUNCTION StridedRow(const Normalization& call, std::int64_t row) : call_(call) {
    const RowMemory& memory = call.memory;
    const std::int64_t outer = call.by.rows_per_outer.quotient(row);
    const std::int64_t inner = row - outer * memory.rows_per_outer;
    x_ = outer * memory.x.outer + inner * memory.x.row;
    y_ = outer * memory.y.outer + inner * memory.y.row;
  }

  struct Place {
    std::int64_t x;  ///< Also of the residual and of the sum.
    std::int64_t y;
    std::int64_t channel;  ///< Of the row.
  };

  /// Of element i.
  KOKKOS_FUNCTION Place place(std::int64_t i) const {
    const RowMemory& memory = call_.memory;
    const std::int64_t run = call_.by.run_len.quotient(i);
    const std::int64_t into_run = i - run * memory.run_len;
    return {x_ + run * memory.x.run + into_run, y_ + run * memory.y.run + into_run,
            channel(i, into_run)};
  }

 private:
  KOKKOS_FUNCTION std::int64_t channel(std::int64_t i, std::int64_t into_run) const {
    const AffineMap& affine = call_.affine;
    // Channels-last: a position's channels are a run.
    if (affine.inner == 1 && affine.channels_per_row == call_.memory.run_len) return into_run;
    return call_.by.channels_per_row.remainder(call_.by.inner.quotient(i));
  }

  const Normalization& call_;
  std::int64_t x_ = 0;
  std::int64_t y_ = 0;
};

template <int Count>
struct Places {
  StridedRow::Place of[Count];

  KOKKOS_FUNCTION Places(const StridedRow& row, const Batch<1, Count>& batch) {
    for (int k = 0; k < Count; ++k) of[k] = row.place(batch.pack(k));
  }
};

template <class T, int Count>
KOKKOS_FUNCTION void load_places(const Normalization& call, const Places<Count>& places,
                                 Accumulator<T>* h) {
  T x[Count];
  for (int k = 0; k < Count; ++k) x[k] = static_cast<const T*>(call.tensors.x)[places.of[k].x];
  if (call.residual == Residual::none) return widen_run(x, Count, h);
  T residual[Count];
  for (int k = 0; k < Count; ++k) {
    residual[k] = static_cast<const T*>(call.tensors.residual)[places.of[k].x];
  }
  sum_run(x, residual, call.residual, Count, h);
}

template <class T, int Count>
KOKKOS_FUNCTION void apply_places(const Normalization& call,
                                  const LineStandardizer<Accumulator<T>>& standardizer,
                                  const FirstChannels& channels, const Places<Count>& places) {
  using Acc = Accumulator<T>;
  Acc values[Count];
  load_places<T>(call, places, values);
  if (call.tensors.sum != nullptr) {
    auto* sum = static_cast<T*>(call.tensors.sum);
    for (int k = 0; k < Count; ++k) sum[places.of[k].x] = narrow<T>(values[k]);
  }
  const auto map = [&](const LineStandardizer<Acc>& of_row, const Acc* from, Acc* to) {
    for (int k = 0; k < Count; ++k) {
      Acc factor = 1;
      Acc offset = 0;
      read_channels(call, channels, places.of[k].channel, 1, WidenPack<1>(), &factor, &offset);
      to[k] = of_row.line(factor, offset)(from[k]);
    }
  };
  apply_epilogue(call, standardizer, map, values, Count, values);
  with_element<Acc>(call.y_type, [&](auto tag) {
    using Y = typename decltype(tag)::type;
    for (int k = 0; k < Count; ++k) {
      static_cast<Y*>(call.tensors.y)[places.of[k].y] = narrow<Y>(values[k]);
    }
  });
}

}  // namespace strided_kernels_detail

/// Rows of elements of type T, wherever these lie.
template <class T>
struct StridedPasses {
  using Acc = Accumulator<T>;
  static constexpr int width = 1;

  template <class Crew>
  static KOKKOS_FUNCTION Moments moments(const Crew& crew, const Normalization& call,
                                         std::int64_t row, std::int64_t begin, std::int64_t end) {
    using namespace strided_kernels_detail;
    const StridedRow elements(call, row);
    const Run<1> run{begin, end};
    const int threads = crew.threads();
    return crew.merged([&](int rank, Moments& mine) {
      ThreadMoments<Acc> seen;
      run.template visit<reads_under_way>(rank, threads, [&](const auto& batch) {
        constexpr int count = std::decay_t<decltype(batch)>::size;
        Acc h[count];
        load_places<T>(call, Places<count>(elements, batch), h);
        seen.add(call.statistics, h);
      });
      merge(mine, seen.moments(call.statistics));
    });
  }

  template <class Crew>
  static KOKKOS_FUNCTION void apply(const Crew& crew, const Normalization& call,
                                    const LineStandardizer<Acc>& standardizer, std::int64_t row,
                                    std::int64_t begin, std::int64_t end) {
    using namespace strided_kernels_detail;
    const StridedRow elements(call, row);
    const FirstChannels channels = call.first_channels(row);
    const Run<1> run{begin, end};
    const int threads = crew.threads();
    crew.each([&](int rank) {
      run.template visit<writes_under_way>(rank, threads, [&](const auto& batch) {
        constexpr int count = std::decay_t<decltype(batch)>::size;
        apply_places<T>(call, standardizer, channels, Places<count>(elements, batch));
      });
    });
  }
};

}  // namespace fastnorm::kokkos
