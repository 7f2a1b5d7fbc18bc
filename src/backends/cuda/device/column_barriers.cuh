// SPDX-License-Identifier: Apache-2.0
/// What a block of strategy stream_columns shares before everything else.
#pragma once

#include "backends/cuda/device/barrier.cuh"
#include "backends/cuda/stream_columns_kernel.hpp"

namespace fastnorm::cuda {

/// Tiles whose statistics a block keeps: those of the one that is written, and the next one's.
inline constexpr int column_statistics_places = 2;

struct ColumnBarriers {
  Barrier full[most_column_slots];          ///< A slot's chunk has come.
  Barrier empty[most_column_slots];         ///< Nobody needs it any more.
  Barrier known[column_statistics_places];  ///< A tile's statistics are there.
  Barrier taken[column_statistics_places];  ///< The output's warps have read them.
};

}  // namespace fastnorm::cuda
