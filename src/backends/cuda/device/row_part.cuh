// SPDX-License-Identifier: Apache-2.0
/// A block's part of a row that several blocks share.
#pragma once

#include "backends/cuda/device/row_params.hpp"

#include <cstdint>

namespace fastnorm::cuda {

/// Of any row. Its elements are the block's alone, edges of vectors included.
struct RowPart {
  std::int64_t index;
  std::int64_t begin;  ///< Element of the row.
  std::int64_t length;

  __device__ __forceinline__ RowPart(const RowGeometry& geometry, const RowSplit& split,
                                     std::int64_t part)
      : index(part), begin(part * split.part_len) {
    const std::int64_t left = geometry.row_len - begin;
    length = left < split.part_len ? left : split.part_len;
  }
};

}  // namespace fastnorm::cuda
