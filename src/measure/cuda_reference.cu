// SPDX-License-Identifier: Apache-2.0
#include "measure/cuda_grid.cuh"
#include "measure/cuda_reference.cuh"
#include "measure/row_tile.hpp"

namespace fastnorm::measure {
namespace {

__device__ ThreadShare share_of_this_thread(const ReferenceCall& call, const RowTile& tile,
                                            std::int64_t task) {
  return share_of_thread(call.memory, tile, task, static_cast<int>(threadIdx.x));
}

/// The sum over the threads on a row, for all rows of the tile at once.
__device__ double sum_of_threads(double value, const RowTile& tile, const ThreadShare& share) {
  __shared__ double sums[RowTile::threads];
  double* const of_row = sums + share.row_in_tile * tile.lanes();
  of_row[share.lane] = value;
  __syncthreads();
  for (int half = tile.lanes() / 2; half > 0; half /= 2) {
    if (share.lane < half) of_row[share.lane] += of_row[share.lane + half];
    __syncthreads();
  }
  const double sum = of_row[0];
  __syncthreads();  // before the next task overwrites what a slower thread still reads
  return sum;
}

/// Adds to a mean over the row what term(h) is over the task's share of it. Blocks add in any
/// order, which a double hardly notices.
template <class Term>
__device__ void add_share(const ReferenceCall& call, const RowTile& tile, const ThreadShare& share,
                          double& row_mean, const Term& term) {
  const RowMemory& memory = call.memory;
  const std::int64_t begin = place_of_row(memory, memory.x, share.row);
  double sum = 0;
  for (std::int64_t i = share.first; i < share.end; i += share.step) {
    sum += term(load_summed(call, begin + place_in_row(memory, memory.x, i)));
  }
  sum = sum_of_threads(sum, tile, share);
  if (share.lane == 0 && !share.empty()) {
    atomicAdd(&row_mean, sum / static_cast<double>(call.row_len));
  }
}

__global__ void add_means_kernel(ReferenceCall call, RowTile tile, RowStatistics* statistics) {
  for (std::int64_t task = blockIdx.x; task < tile.tasks; task += gridDim.x) {
    const ThreadShare share = share_of_this_thread(call, tile, task);
    add_share(call, tile, share, statistics[share.row].mean, [](double h) { return h; });
  }
}

/// The variance, to where rstd will be.
__global__ void add_variances_kernel(ReferenceCall call, RowTile tile, RowStatistics* statistics) {
  for (std::int64_t task = blockIdx.x; task < tile.tasks; task += gridDim.x) {
    const ThreadShare share = share_of_this_thread(call, tile, task);
    const double mean = share.empty() ? 0 : statistics[share.row].mean;
    add_share(call, tile, share, statistics[share.row].rstd,
              [mean](double h) { return (h - mean) * (h - mean); });
  }
}

__global__ void finish_statistics_kernel(RowStatistics* statistics, std::int64_t rows, double eps) {
  for (std::int64_t row = first_index(); row < rows; row += grid_threads()) {
    statistics[row].rstd = 1 / sqrt(statistics[row].rstd + eps);
  }
}

/// Three blocks a multiprocessor, for which it gives up some registers.
__global__ void __launch_bounds__(RowTile::threads, 3)
    compare_kernel(ReferenceCall call, RowTile tile, Comparison* tallies) {
  Comparison tally{};
  for (std::int64_t task = blockIdx.x; task < tile.tasks; task += gridDim.x) {
    const ThreadShare share = share_of_this_thread(call, tile, task);
    if (share.empty()) continue;
    const RowMemory& memory = call.memory;
    const std::int64_t x_begin = place_of_row(memory, memory.x, share.row);
    const std::int64_t y_begin = place_of_row(memory, memory.y, share.row);
    const RowStatistics statistics = call.statistics[share.row];
    for (std::int64_t i = share.first; i < share.end; i += share.step) {
      const double h = load_summed(call, x_begin + place_in_row(memory, memory.x, i));
      const double y =
          load(call.y_type, call.tensors.y, y_begin + place_in_row(memory, memory.y, i));
      const ChannelAffine affine =
          load_affine(call, share.row, channel_of(call.affine, share.row, i));
      count_element(tally, {share.row, i}, y, expected(call, h, statistics, affine));
    }
  }
  __shared__ Comparison of_threads[RowTile::threads];
  of_threads[threadIdx.x] = tally;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int thread = 1; thread < RowTile::threads; ++thread) merge(tally, of_threads[thread]);
  tallies[blockIdx.x] = tally;
}

}  // namespace

cudaError_t enqueue_row_statistics(const ReferenceCall& call, RowStatistics* statistics,
                                   cudaStream_t stream) {
  const auto bytes = static_cast<std::size_t>(call.rows) * sizeof *statistics;
  const cudaError_t cleared = cudaMemsetAsync(statistics, 0, bytes, stream);
  if (cleared != cudaSuccess) return cleared;
  // With eight threads a row, no more additions follow each other, over a thread's elements and
  // then over the shares, than value_tolerance() allows for.
  constexpr std::int64_t least = 32;
  const RowTile tile = row_tile_for(call.memory, call.memory.x, least);
  const int blocks = blocks_for(tile.tasks, 1 << 20);
  if (call.kind == Statistics::mean_variance) {
    add_means_kernel<<<blocks, RowTile::threads, 0, stream>>>(call, tile, statistics);
  }
  add_variances_kernel<<<blocks, RowTile::threads, 0, stream>>>(call, tile, statistics);
  finish_statistics_kernel<<<blocks_for_elements(call.rows), block_threads, 0, stream>>>(
      statistics, call.rows, call.eps);
  return cudaGetLastError();
}

cudaError_t enqueue_compare(const ReferenceCall& call, Comparison* tallies, cudaStream_t stream) {
  constexpr std::int64_t least = 4;
  const RowTile tile = row_tile_for(call.memory, call.memory.x, least);
  compare_kernel<<<comparison_blocks, RowTile::threads, 0, stream>>>(call, tile, tallies);
  return cudaGetLastError();
}

}  // namespace fastnorm::measure
