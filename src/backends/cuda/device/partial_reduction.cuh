/// Joining a split row through one slot a part: each has one writer, and every reader merges them
/// in the same order, so results repeat bit for bit.
#pragma once

#include "backends/cuda/device/moments.cuh"
#include "backends/cuda/device/row_params.hpp"
#include "backends/cuda/split_workspace.hpp"

#include <cstdint>

namespace fastnorm::cuda {

struct PartialReduction {
  using Workspace = PartialSlot;

  /// Called by thread 0 of the block that read the part.
  template <class T>
  static __device__ __forceinline__ void publish(PartialSlot* slots, const RowParams<T>&,
                                                 const RowSplit& split, std::int64_t row,
                                                 std::int64_t part, const PartMoments& moments) {
    slots[row * split.parts + part] = {moments.mean, moments.m2, moments.count};
  }

  /// The row's statistics, for every thread. Every thread of the block calls it.
  static __device__ __forceinline__ RowStatistics collect(const PartialSlot* slots,
                                                          const RowGeometry&, const RowSplit& split,
                                                          std::int64_t row, float eps) {
    PartMoments mine;
    for (std::int64_t part = threadIdx.x; part < split.parts; part += blockDim.x) {
      const PartialSlot slot = slots[row * split.parts + part];
      mine = merge(mine, {slot.mean, slot.m2, slot.count});
    }
    return broadcast(finish(merge_block(mine), eps));
  }
};

}  // namespace fastnorm::cuda
