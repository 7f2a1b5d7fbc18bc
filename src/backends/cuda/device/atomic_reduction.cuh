// SPDX-License-Identifier: Apache-2.0
/// Joining a split row by atomic additions: one slot a row, zero before the first part arrives. The
/// sums are of deviations from a shift, the row's first element, in fp64: even if that element is
/// an outlier, (shift - mean)^2 <= row_len * variance, and fp64 has 29 bits more than the data. The
/// order of the additions, and with it the last bits, changes from run to run.
#pragma once

#include "backends/cuda/device/moments.cuh"
#include "backends/cuda/device/row_input.cuh"
#include "backends/cuda/device/row_params.hpp"
#include "backends/cuda/split_workspace.hpp"

#include <cstdint>

namespace fastnorm::cuda {

struct AtomicReduction {
  template <class Acc>
  using Slot = AtomicSlot;

  template <class T>
  static __device__ __forceinline__ void publish(AtomicSlot* slots, const RowParams& params,
                                                 const RowSplit&, std::int64_t row,
                                                 std::int64_t part,
                                                 const PartMoments<Accumulator<T>>& moments) {
    AtomicSlot& slot = slots[row];
    const RowInput<T> input(params, params.geometry.x_begin(row));
    const double shift = input.load_element(0, CachePolicy(LoadPriority::normal));
    const double deviation = (moments.pivot - shift) + moments.offset;
    atomicAdd(&slot.sum, deviation * moments.count);
    atomicAdd(&slot.sum_of_squares, deviation * deviation * moments.count + moments.m2);
    // Kept for the second kernel, which in place overwrites the element.
    if (part == 0) slot.shift = shift;
  }

  template <class Acc>
  static __device__ __forceinline__ RowStatistics<Acc> collect(const AtomicSlot* slots,
                                                               const RowParams& params,
                                                               const RowSplit&, std::int64_t row) {
    const AtomicSlot slot = slots[row];
    const double count = static_cast<double>(params.geometry.row_len);
    const double deviation = slot.sum / count;
    const double variance = slot.sum_of_squares / count - deviation * deviation;
    PartMoments<Acc> whole;
    const double mean = slot.shift + deviation;
    whole.pivot = static_cast<Acc>(mean);
    whole.offset = static_cast<Acc>(mean - whole.pivot);
    // Rounding may leave a constant row a variance just below zero. Written so that a NaN stays
    // one.
    whole.m2 = static_cast<Acc>(variance < 0 ? 0 : variance);
    whole.count = 1;
    return finish(whole, params.statistics, static_cast<Acc>(params.eps));
  }
};

}  // namespace fastnorm::cuda
