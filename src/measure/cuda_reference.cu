#include "measure/cuda_reference.cuh"
#include "measure/random_values.hpp"

#include <algorithm>

namespace fastnorm::measure {
namespace {

constexpr int block_threads = 256;

__device__ std::int64_t first_index() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

__device__ std::int64_t grid_threads() { return static_cast<std::int64_t>(gridDim.x) * blockDim.x; }

__global__ void fill_random_kernel(float* values, std::int64_t count, std::uint64_t seed) {
  for (std::int64_t i = first_index(); i < count; i += grid_threads()) {
    values[i] = random_value(seed, i);
  }
}

__global__ void count_damaged_kernel(const float* values, std::int64_t count, std::uint64_t seed,
                                     unsigned long long* damaged) {
  unsigned long long mine = 0;
  for (std::int64_t i = first_index(); i < count; i += grid_threads()) {
    if (!(values[i] == random_value(seed, i))) ++mine;
  }
  if (mine != 0) atomicAdd(damaged, mine);
}

/// The sum over the block, in every thread. `warp_sums` is read and written by all.
__device__ double block_sum(double value, double* warp_sums) {
  for (int distance = 16; distance > 0; distance /= 2) {
    value += __shfl_xor_sync(0xffffffffu, value, distance);
  }
  if (threadIdx.x % 32 == 0) warp_sums[threadIdx.x / 32] = value;
  __syncthreads();
  double sum = 0;
  for (unsigned warp = 0; warp < blockDim.x / 32; ++warp) sum += warp_sums[warp];
  __syncthreads();  // before the next call overwrites what a slower warp still reads
  return sum;
}

__global__ void row_statistics_kernel(const float* x, std::int64_t rows, std::int64_t row_len,
                                      double eps, RowStatistics* statistics) {
  __shared__ double warp_sums[32];
  for (std::int64_t r = blockIdx.x; r < rows; r += gridDim.x) {
    const float* row = x + r * row_len;
    double sum = 0;
    for (std::int64_t i = threadIdx.x; i < row_len; i += blockDim.x) sum += row[i];
    const double mean = block_sum(sum, warp_sums) / static_cast<double>(row_len);
    double squares = 0;
    for (std::int64_t i = threadIdx.x; i < row_len; i += blockDim.x) {
      const double centred = row[i] - mean;
      squares += centred * centred;
    }
    const double variance = block_sum(squares, warp_sums) / static_cast<double>(row_len);
    if (threadIdx.x == 0) statistics[r] = {mean, 1 / sqrt(variance + eps)};
  }
}

__global__ void compare_kernel(Expectation e, Comparison* tallies) {
  Comparison tally{};
  const std::int64_t count = e.rows * e.row_len;
  for (std::int64_t index = first_index(); index < count; index += grid_threads()) {
    const std::int64_t r = index / e.row_len;
    const std::int64_t channel =
        r % e.row_period * e.channels_per_row + (index - r * e.row_len) / e.inner;
    const double gamma = e.gamma != nullptr ? e.gamma[channel] : 1;
    const double beta = e.beta != nullptr ? e.beta[channel] : 0;
    count_element(tally, index, e.x[index], e.y[index], e.statistics[r], gamma, beta);
  }
  __shared__ Comparison of_threads[block_threads];
  of_threads[threadIdx.x] = tally;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int thread = 1; thread < block_threads; ++thread) merge(tally, of_threads[thread]);
  tallies[blockIdx.x] = tally;
}

/// Enough warps for a row's length, so that tiny rows do not each occupy a large block.
int threads_for_row(std::int64_t row_len) {
  if (row_len <= 256) return 32;
  return row_len <= 16384 ? 256 : 1024;
}

int blocks_for(std::int64_t items, std::int64_t most) {
  return static_cast<int>(std::clamp<std::int64_t>(items, 1, most));
}

}  // namespace

cudaError_t enqueue_fill_random(float* values, std::int64_t count, std::uint64_t seed,
                                cudaStream_t stream) {
  if (count == 0) return cudaSuccess;
  const int blocks = blocks_for((count + block_threads - 1) / block_threads, 8192);
  fill_random_kernel<<<blocks, block_threads, 0, stream>>>(values, count, seed);
  return cudaGetLastError();
}

cudaError_t enqueue_count_damaged(const float* values, std::int64_t count, std::uint64_t seed,
                                  unsigned long long* damaged, cudaStream_t stream) {
  const cudaError_t error = cudaMemsetAsync(damaged, 0, sizeof *damaged, stream);
  if (error != cudaSuccess) return error;
  const int blocks = blocks_for((count + block_threads - 1) / block_threads, 8192);
  count_damaged_kernel<<<blocks, block_threads, 0, stream>>>(values, count, seed, damaged);
  return cudaGetLastError();
}

cudaError_t enqueue_row_statistics(const float* x, std::int64_t rows, std::int64_t row_len,
                                   double eps, RowStatistics* statistics, cudaStream_t stream) {
  const int blocks = blocks_for(rows, 1 << 20);
  row_statistics_kernel<<<blocks, threads_for_row(row_len), 0, stream>>>(x, rows, row_len, eps,
                                                                         statistics);
  return cudaGetLastError();
}

cudaError_t enqueue_compare(const Expectation& expectation, Comparison* tallies,
                            cudaStream_t stream) {
  compare_kernel<<<comparison_blocks, block_threads, 0, stream>>>(expectation, tallies);
  return cudaGetLastError();
}

}  // namespace fastnorm::measure
