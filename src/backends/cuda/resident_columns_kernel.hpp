// SPDX-License-Identifier: Apache-2.0
/// The kernel of strategy resident_columns, as its launcher sees it.
#pragma once

#include "backends/cuda/device/column_params.hpp"
#include "backends/cuda/device/fast_divide.hpp"
#include "backends/cuda/row_config.hpp"

#include <fastnorm/types.hpp>

namespace fastnorm::cuda {

inline constexpr int most_resident_columns_threads = 512;

/// How tiles lie in blocks. A cell is what a thread hands on the moments of: its vector where no
/// vector meets two groups, else each of its columns.
struct ResidentColumns {
  ColumnTiles tiles;      ///< Of whole groups each.
  FastDivide tile_count;  ///< Of a sample.
  ColumnThreads threads;
  FastDivide blocks;       ///< Of a tile, each of which has
  int part_positions = 1;  ///< so many of its positions, but for the last, which may have fewer.
  int cell_columns = 1;
  int cells = 1;            ///< Of a tile, or a few more,
  int cells_per_group = 1;  ///< and of a group.
  int log2_cell_lanes = 0;  ///< Of the lanes that merge a group, those over neighbouring cells; the
                            ///< others are over warps with further positions.
  bool groups_are_warps = false;  ///< A warp has whole groups, and no other block their rest.
  // Where things are in a block's shared memory, in bytes.
  int parts_at = 0;
  int groups_at = 0;
  int affine_at = 0;
};

/// Sets the places in shared memory for tiles of so many groups, of whose positions some have
/// affine maps or none; answers how many bytes it takes.
int place_resident_columns(DType type, ResidentColumns& shape, int groups, int mapped_positions);

/// __global__ void (ColumnParams, ResidentColumns), for cudaLaunchKernel; null if there is no such
/// instantiation.
const void* resident_columns_kernel_address(DType type, KernelShape shape, RowForm form);

}  // namespace fastnorm::cuda
