// SPDX-License-Identifier: Apache-2.0
/// The kernels whose blocks exchange parts of a row, with delays at random in the blocks.
#pragma once

#include "backends/cuda/device/row_params.hpp"
#include "backends/cuda/row_config.hpp"

#include <fastnorm/types.hpp>

#include <cstdint>

namespace fastnorm::test {

/// The delays of one launch.
struct DelayDraw {
  std::uint32_t seed = 0;
  std::uint32_t most_ns = 0;  ///< Of one delay in an ordinary block; 0: there are none.
};

/// __global__ void (RowParams, StreamShape, PartialMessage*, DelayDraw).
const void* delayed_stream_row_kernel(DType type, cuda::RowForm form);

/// __global__ void (RowParams, int part_len, DelayDraw), for clusters; null if there is no such
/// instantiation: there is one of full vectors, one a thread, for each type and form.
const void* delayed_cluster_row_kernel(DType type, cuda::KernelShape shape, cuda::RowForm form);

/// Positions that each of its threads has: the unroll that a plan must have.
inline constexpr int delayed_positions = 4;

/// __global__ void (ColumnParams, ResidentColumns, DelayDraw), of vectors.
const void* delayed_resident_columns_kernel(DType type, cuda::RowForm form);

/// __global__ void (ColumnParams, ColumnStream, PartialMessage*, DelayDraw).
const void* delayed_stream_columns_kernel(DType type, cuda::RowForm form);

/// __global__ void (RowParams, WindowShape, PartialMessage*, DelayDraw); null if there is no such
/// instantiation: there is one of full vectors, one load in flight a thread, for each type.
const void* delayed_window_row_kernel(DType type, cuda::KernelShape shape);

}  // namespace fastnorm::test
