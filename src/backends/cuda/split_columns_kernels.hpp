// SPDX-License-Identifier: Apache-2.0
/// The two kernels of strategy split_columns, as their launcher sees them.
#pragma once

#include "backends/cuda/device/column_params.hpp"

#include <fastnorm/types.hpp>

#include <cstdint>

namespace fastnorm::cuda {

/// How a sample is cut between blocks: a block has a part of the positions of a tile.
struct ColumnSplit {
  ColumnTiles tiles;
  ColumnThreads threads;
  std::int64_t part_len = 1;  ///< Positions of every part but the last.
  int parts = 1;              ///< None is empty.
};

/// __global__ void (ColumnParams, ColumnSplit, slots*), for cudaLaunchKernel. A slot is a
/// PartMoments; there are pieces * parts a sample.
struct SplitColumnsKernels {
  const void* statistics = nullptr;
  const void* apply = nullptr;
};

/// Of single elements (vec_width 1), or of as many as a thread's access takes.
SplitColumnsKernels split_columns_kernels(DType type, int vec_width, RowForm form);

/// Dynamic shared memory of each.
struct SplitColumnsShared {
  int statistics = 0;
  int apply = 0;
};
SplitColumnsShared split_columns_shared(DType type, const ColumnSplit& split, int most_pieces);

}  // namespace fastnorm::cuda
