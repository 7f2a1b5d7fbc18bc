// SPDX-License-Identifier: Apache-2.0
/// The loops over rows and parts of rows.
#pragma once

#include "backends/kokkos/host_loops.hpp"
#include "backends/kokkos/isa.hpp"
#include "backends/kokkos/lanes.hpp"
#include "backends/kokkos/prefetch.hpp"
#include "backends/kokkos/row_passes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace fastnorm::kokkos {
inline namespace FASTNORM_ISA {

/// Writes a row, a chunk at a time where the next row is fetched beside it.
template <class Passes>
void apply_row(const RowWork& work, const Standardizer<typename Passes::Acc>& standardizer,
               std::int64_t row, std::int64_t ahead) {
  const Normalization& call = work.call;
  const auto size = static_cast<std::int64_t>(size_of(call.x_type));
  const auto* next =
      static_cast<const unsigned char*>(call.tensors.x) + (row + 1) * call.row_len * size;
  std::int64_t begin = 0;
  for (; begin < ahead; begin += chunk_len) {
    const std::int64_t end = std::min(begin + chunk_len, ahead);
    prefetch(next + begin * size, static_cast<std::size_t>((end - begin) * size));
    Passes::apply(call, standardizer, row, begin, end);
  }
  if (ahead < call.row_len) Passes::apply(call, standardizer, row, ahead, call.row_len);
}

template <class Passes, int Lanes>
void normalize_rows(const RowWork& work, std::int64_t begin, std::int64_t end) {
  const Normalization& call = work.call;
  for (std::int64_t row = begin; row < end; ++row) {
    const Moments moments = Passes::template moments<Lanes>(call, row, 0, call.row_len, work.block);
    const auto standardizer = Standardizer<typename Passes::Acc>::of(moments, call.eps);
    store_statistics(call, row, standardizer, moments);
    apply_row<Passes>(work, standardizer, row, row + 1 < end ? work.ahead : 0);
  }
  finish_streaming();
}

template <class Passes, int Lanes>
void reduce_parts(const RowWork& work, std::int64_t begin, std::int64_t end) {
  const Parts& parts = work.parts;
  for (std::int64_t task = begin; task < end; ++task) {
    const std::int64_t row = work.first + task / parts.per_row;
    const std::int64_t part = task % parts.per_row;
    work.partials[task] = Passes::template moments<Lanes>(work.call, row, parts.begin(part),
                                                          parts.end(part), work.block);
  }
}

/// Every task merges its row's partials again, which is cheaper than a third step.
template <class Passes>
void apply_parts(const RowWork& work, std::int64_t begin, std::int64_t end) {
  const Normalization& call = work.call;
  const Parts& parts = work.parts;
  for (std::int64_t task = begin; task < end; ++task) {
    const std::int64_t row = work.first + task / parts.per_row;
    const std::int64_t part = task % parts.per_row;
    const Moments moments = merge_row(work.partials, parts, row - work.first);
    const auto standardizer = Standardizer<typename Passes::Acc>::of(moments, call.eps);
    if (part == 0) store_statistics(call, row, standardizer, moments);
    Passes::apply(call, standardizer, row, parts.begin(part), parts.end(part));
  }
  finish_streaming();
}

template <class Passes>
Loops<RowWork> loops_of_passes(int lanes) {
  return with_lanes(lanes, [](auto count) -> Loops<RowWork> {
    return {normalize_rows<Passes, count()>, reduce_parts<Passes, count()>, apply_parts<Passes>};
  });
}

/// Which passes serve a call is decided once for all of its rows: a short row takes no longer than
/// a few such decisions.
inline Loops<RowWork> row_loops(const Normalization& call, DType accumulation, int lanes) {
  return with_accumulator(accumulation, [&](auto tag) {
    using Acc = typename decltype(tag)::type;
    if (!call.dense_rows) return loops_of_passes<ScatteredPasses<Acc>>(lanes);
    if (DirectPasses<Acc>::serve(call)) return loops_of_passes<DirectPasses<Acc>>(lanes);
    return loops_of_passes<BufferedPasses<Acc>>(lanes);
  });
}

}  // namespace FASTNORM_ISA
}  // namespace fastnorm::kokkos
