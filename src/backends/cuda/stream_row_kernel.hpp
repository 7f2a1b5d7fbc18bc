// SPDX-License-Identifier: Apache-2.0
/// The persistent kernel of strategy stream_row, as its launcher sees it.
#pragma once

#include "backends/cuda/device/fast_divide.hpp"
#include "backends/cuda/device/row_params.hpp"
#include "backends/cuda/messages.hpp"

#include <fastnorm/types.hpp>

namespace fastnorm::cuda {

/// How rows stream through the blocks. A row's vectors are cut into chunks, and chunk c goes to
/// block c % blocks_per_row of a team, so that the team's loads are one contiguous front.
struct StreamShape {
  Exchange exchange = Exchange::memory;
  int teams = 1;              ///< Each has a row at a time: rows team, team + teams, ...
  FastDivide blocks_per_row;  ///< Blocks of a team.
  FastDivide slot_vectors;    ///< Vectors of a chunk.
  int slots = 0;              ///< Chunks that a block's ring holds.
  int kept = 0;               ///< Of a row's chunks, how many a block holds until their output.
  int cached = 0;             ///< Of the others, how many the L2 is asked to keep.
  int statistics_warps = 1;
  int apply_warps = 1;
  int apply_groups = 1;  ///< Of those warps: chunks go to them in turn.
};

/// Warps beside those for statistics and output: one that loads, one that sends the block's part of
/// a row's moments, one that receives the others'.
inline constexpr int stream_service_warps = 3;
/// With more, registers would be spilled.
constexpr int most_stream_threads(RowForm form) { return form == RowForm::plain ? 640 : 512; }
/// Vectors of a lane that are written together, 32 apart.
inline constexpr int stream_tile = 2;
inline constexpr int most_statistics_warps = 8;
inline constexpr int most_stream_slots = 31;
/// Rows that a block's roles may be apart. Each row that has begun and not ended holds a slot at
/// least, so there must be fewer slots than that, or as many fewer as a row has chunks.
inline constexpr int stream_rows_in_flight = 16;
/// The same where the exchange is a cluster's, and what must be kept apart for its messages.
inline constexpr int cluster_rows_in_flight = 8;
inline constexpr int cluster_places = 2 * cluster_rows_in_flight;

/// Shared memory of a block beside its ring.
int stream_control_bytes(DType type) noexcept;

/// What the cluster's exchange adds to it.
constexpr int cluster_mailbox_bytes(int blocks) {
  return (cluster_places * (8 + message_bytes * blocks) + 127) / 128 * 128;
}

/// __global__ void (RowParams, StreamShape, PartialMessage*), for cudaLaunchKernel.
const void* stream_row_kernel_address(DType type, RowForm form);

}  // namespace fastnorm::cuda
