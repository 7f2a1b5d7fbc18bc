// SPDX-License-Identifier: Apache-2.0
/// A row by a cluster of blocks, each with a part of it in registers. The parts' moments meet in
/// distributed shared memory.
#pragma once

#include "backends/cuda/device/exchange_delays.cuh"
#include "backends/cuda/device/resident_part.cuh"
#include "backends/cuda/device/team.cuh"

#include <cooperative_groups.h>

#include <cstdint>

namespace fastnorm::cuda {

#if __CUDA_ARCH__ >= 900

/// Every block's moments in every block: written there by their owners, and merged by each warp for
/// itself, in the order of the blocks' ranks.
template <class Acc, class Delays>
class ClusterExchange {
 public:
  /// Announces that this block runs: from then on, others may write into its shared memory. They
  /// wait for that as late as possible.
  explicit __device__ __forceinline__ ClusterExchange(Delays& delays) : delays_(delays) {
    cluster_.barrier_arrive();
  }

  __device__ __forceinline__ int blocks() const { return static_cast<int>(cluster_.num_blocks()); }
  __device__ __forceinline__ int rank() const { return static_cast<int>(cluster_.block_rank()); }

  /// Moments of the row, from those of this block's part, which all of its threads know. Once: a
  /// block that has passed the barrier in here finds nobody who still writes to it, and may exit.
  __device__ __forceinline__ PartMoments<Acc> merge_parts(const PartMoments<Acc>& mine) {
    __shared__ PartMoments<Acc> parts[most_cluster_blocks];
    const unsigned int count = cluster_.num_blocks();
    delays_.before_send();
    cluster_.barrier_wait();
    if (threadIdx.x < count) {
      *cluster_.map_shared_rank(&parts[cluster_.block_rank()], static_cast<int>(threadIdx.x)) =
          mine;
    }
    cluster_.sync();
    delays_.before_receive();
    return merge_few(parts, count);
  }

 private:
  const cooperative_groups::cluster_group cluster_ = cooperative_groups::this_cluster();
  Delays& delays_;
};

/// What each block of the grid does. Delays: see exchange_delays.cuh.
template <class T, int kVec, int kUnroll, RowForm kForm, class Delays = NoDelays>
__device__ __forceinline__ void write_row_by_cluster(const RowParams& params, int part_len,
                                                     Delays delays = {}) {
  using Acc = Accumulator<T>;
  delays.before_load();
  ClusterExchange<Acc, Delays> exchange(delays);
  const BlockTeam team;
  const std::int64_t row = blockIdx.x / static_cast<unsigned int>(exchange.blocks());
  const std::int64_t page = static_cast<std::int64_t>(exchange.rank()) * part_len;
  const std::int64_t left = params.geometry.row_len - page;
  const int length = static_cast<int>(left < part_len ? left : part_len);
  const std::int64_t begin = params.geometry.x_begin(row);

  ResidentPart<T, kVec, kUnroll, BlockTeam, kForm> part(params, begin + page, length, team);
  const RowChannels<T, kForm> channels(params, row, page);
  part.prepare_output(channels);
  const PartMoments<Acc> of_part = part.moments(team, params.statistics);
  const auto statistics =
      finish(exchange.merge_parts(of_part), params.statistics, static_cast<Acc>(params.eps));
  if (exchange.rank() == 0 && team.rank() == 0) write_statistics(params, row, statistics);
  delays.before_write();
  part.write(params, params.geometry.y_begin(row, begin) + page,
             RowEpilogue<T, kForm>(channels, statistics));
}

#endif

}  // namespace fastnorm::cuda
