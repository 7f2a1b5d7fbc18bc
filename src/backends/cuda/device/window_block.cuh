// SPDX-License-Identifier: Apache-2.0
/// A persistent grid whose teams of blocks read each row twice, the second time from the L2 where
/// that still has it: the moments are taken one row ahead of the output, so that what lies between
/// a row's two reads is a window of few rows.
#pragma once

#include "backends/cuda/device/exchange_delays.cuh"
#include "backends/cuda/device/first_read.cuh"
#include "backends/cuda/device/moments.cuh"
#include "backends/cuda/device/partial_message.cuh"
#include "backends/cuda/device/row_output.cuh"
#include "backends/cuda/device/row_part.cuh"
#include "backends/cuda/device/second_read.cuh"
#include "backends/cuda/messages.hpp"
#include "backends/cuda/window_row_kernel.hpp"

#include <cstdint>

namespace fastnorm::cuda {

/// One block, which has the same part of each of its team's rows. It alone reads and writes that
/// part, so a call in place overwrites nothing that another block wants.
///
/// No block waits before it has sent its part of the row that it waits for, and all of a team have
/// the same rows: since all blocks are resident, every message comes.
///
/// Delays: see exchange_delays.cuh.
template <class T, int kVec, int kUnroll, class Delays = NoDelays>
class WindowBlock {
 public:
  using Acc = Accumulator<T>;

  __device__ __forceinline__ WindowBlock(const RowParams& params, const WindowShape& shape,
                                         PartialMessage* messages, const Delays& delays = {})
      : params_(params),
        shape_(shape),
        messages_(messages),
        parts_(static_cast<int>(shape.split.parts)),
        team_(static_cast<int>(blockIdx.x) / parts_),
        rank_(static_cast<int>(blockIdx.x) - team_ * parts_),
        delays_(delays) {}

  __device__ __forceinline__ void run() {
    // Of two rows, by turns: a warp may still read the one when another is ahead by a row. Before
    // it is two rows ahead, both have met at a barrier. (Alone, a block's first thread knows the
    // next row before the barrier below; that in read_moments() lies behind every warp's write().)
    __shared__ RowStatistics<Acc> known[2];
    int turn = 0;
    // In the first round there is nothing to write yet, in the last one nothing to read ahead.
    for (std::int64_t row = team_ - shape_.teams; row < params_.geometry.rows;
         row += shape_.teams) {
      const std::int64_t next = row + shape_.teams;
      if (next < params_.geometry.rows) take_moments(next, known[1 - turn]);
      if (row >= 0 && parts_ > 1 && threadIdx.x < 32) receive_row(row, known[turn]);
      __syncthreads();
      if (row >= 0) write(row, known[turn]);
      turn = 1 - turn;
    }
  }

 private:
  __device__ __forceinline__ RowPart part_of(int rank) const {
    return RowPart(params_.geometry, shape_.split, rank);
  }

  /// Of the block's part, which goes to the team. Alone, the block knows the row by it.
  __device__ __forceinline__ void take_moments(std::int64_t row, RowStatistics<Acc>& known) {
    delays_.before_load();
    const RowPart part = part_of(rank_);
    const PartMoments<Acc> moments = read_moments<T, kVec, kUnroll>(
        params_, params_.geometry.x_begin(row) + part.begin, part.length);
    if (threadIdx.x > 0) return;
    delays_.before_send();
    if (parts_ > 1) {
      PartialMessage::of(moments).send(messages_ + row * parts_ + rank_);
    } else {
      know(row, moments, known);
    }
  }

  /// By one warp.
  __device__ __forceinline__ void receive_row(std::int64_t row, RowStatistics<Acc>& known) {
    __syncwarp();  // The lane that sends has done so: others would poll in its way.
    delays_.before_receive();
    const auto count_of = [&](int sender) { return static_cast<Acc>(part_of(sender).length); };
    const PartMoments<Acc> moments =
        receive<most_team_blocks, Acc>(messages_ + row * parts_, parts_, count_of);
    if (threadIdx.x == 0) know(row, moments, known);
  }

  __device__ __forceinline__ void know(std::int64_t row, const PartMoments<Acc>& moments,
                                       RowStatistics<Acc>& known) const {
    known = finish(moments, params_.statistics, static_cast<Acc>(params_.eps));
    if (rank_ == 0) write_statistics(params_, row, known);
  }

  __device__ __forceinline__ void write(std::int64_t row, const RowStatistics<Acc>& known) {
    delays_.before_write();
    const RowPart part = part_of(rank_);
    write_normalised<T, kVec, kUnroll>(params_, row, part.begin, part.length, known);
  }

  const RowParams& params_;
  const WindowShape& shape_;
  PartialMessage* const messages_;
  const int parts_;
  const int team_;
  const int rank_;
  Delays delays_;
};

}  // namespace fastnorm::cuda
