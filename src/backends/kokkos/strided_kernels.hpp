// SPDX-License-Identifier: Apache-2.0
/// The two passes of team_kernels.hpp over rows whose elements lie anywhere: channels-last tensors,
/// layer_norm over channels, strides. Elements move one by one.
#pragma once

#include "backends/kokkos/batch_moments.hpp"
#include "backends/kokkos/epilogue.hpp"
#include "backends/kokkos/quotient.hpp"
#include "backends/kokkos/row_input.hpp"
#include "backends/kokkos/team_runs.hpp"

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
  KOKKOS_FUNCTION StridedRow(const Normalization& call, std::int64_t row)
      : memory_(call.memory), affine_(call.affine) {
    const std::int64_t outer = row / memory_.rows_per_outer;
    const std::int64_t inner = row % memory_.rows_per_outer;
    x_ = outer * memory_.x.outer + inner * memory_.x.row;
    y_ = outer * memory_.y.outer + inner * memory_.y.row;
  }

  struct Place {
    std::int64_t x;  ///< Also of the residual and of the sum.
    std::int64_t y;
    std::int64_t channel;  ///< Of the row.
  };

  /// Of element i.
  KOKKOS_FUNCTION Place place(std::int64_t i) const {
    const std::int64_t run = quotient(i, memory_.run_len);
    const std::int64_t into_run = i - run * memory_.run_len;
    return {x_ + run * memory_.x.run + into_run, y_ + run * memory_.y.run + into_run,
            channel(i, into_run)};
  }

 private:
  KOKKOS_FUNCTION std::int64_t channel(std::int64_t i, std::int64_t into_run) const {
    // Channels-last: a position's channels are a run.
    if (affine_.inner == 1 && affine_.channels_per_row == memory_.run_len) return into_run;
    const std::int64_t whole = quotient(i, affine_.inner);
    return whole - quotient(whole, affine_.channels_per_row) * affine_.channels_per_row;
  }

  const RowMemory& memory_;
  const AffineMap& affine_;
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
                                  const Standardizer<Accumulator<T>>& standardizer,
                                  std::int64_t row, const Places<Count>& places) {
  using Acc = Accumulator<T>;
  Acc values[Count];
  load_places<T>(call, places, values);
  if (call.tensors.sum != nullptr) {
    auto* sum = static_cast<T*>(call.tensors.sum);
    for (int k = 0; k < Count; ++k) sum[places.of[k].x] = narrow<T>(values[k]);
  }
  const auto map = [&](const Standardizer<Acc>& of_row, const Acc* from, Acc* to) {
    for (int k = 0; k < Count; ++k) {
      Acc factor = 1;
      Acc offset = 0;
      read_channels(call, row, places.of[k].channel, 1, &factor, &offset);
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
      run.template visit<reads_under_way>(rank, threads, [&](const auto& batch) {
        constexpr int count = std::decay_t<decltype(batch)>::size;
        Acc h[count];
        load_places<T>(call, Places<count>(elements, batch), h);
        merge(mine, batch_moments<Acc>(call.statistics, h));
      });
    });
  }

  template <class Crew>
  static KOKKOS_FUNCTION void apply(const Crew& crew, const Normalization& call,
                                    const Standardizer<Acc>& standardizer, std::int64_t row,
                                    std::int64_t begin, std::int64_t end) {
    using namespace strided_kernels_detail;
    const StridedRow elements(call, row);
    const Run<1> run{begin, end};
    const int threads = crew.threads();
    crew.each([&](int rank) {
      run.template visit<writes_under_way>(rank, threads, [&](const auto& batch) {
        constexpr int count = std::decay_t<decltype(batch)>::size;
        apply_places<T>(call, standardizer, row, Places<count>(elements, batch));
      });
    });
  }
};

}  // namespace fastnorm::kokkos
