// SPDX-License-Identifier: Apache-2.0
/// Joining a split row through one slot a part: each has one writer, and every reader merges them
/// in the same order, so results repeat bit for bit.
#pragma once

#include "backends/cuda/device/moments.cuh"
#include "backends/cuda/device/row_params.hpp"

#include <cstdint>

namespace fastnorm::cuda {

struct PartialReduction {
  template <class Acc>
  using Slot = PartMoments<Acc>;

  /// Called by thread 0 of the block that read the part.
  template <class T>
  static __device__ __forceinline__ void publish(PartMoments<Accumulator<T>>* slots,
                                                 const RowParams&, const RowSplit& split,
                                                 std::int64_t row, std::int64_t part,
                                                 const PartMoments<Accumulator<T>>& moments) {
    slots[row * split.parts + part] = moments;
  }

  /// The row's statistics, for every thread. Every thread of the block calls it, and between two
  /// calls there must be a barrier.
  template <class Acc>
  static __device__ __forceinline__ RowStatistics<Acc> collect(const PartMoments<Acc>* slots,
                                                               const RowParams& params,
                                                               const RowSplit& split,
                                                               std::int64_t row) {
    PartMoments<Acc> mine;
    for (std::int64_t part = threadIdx.x; part < split.parts; part += blockDim.x) {
      mine = merge(mine, slots[row * split.parts + part]);
    }
    return finish(merge_warps(merge_lanes(mine)), params.statistics, static_cast<Acc>(params.eps));
  }
};

}  // namespace fastnorm::cuda
