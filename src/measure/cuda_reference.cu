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

template <class T>
__global__ void fill_random_kernel(T* tensor, std::int64_t count, std::uint64_t seed) {
  for (std::int64_t i = first_index(); i < count; i += grid_threads()) {
    tensor[i] = random_element<T>(seed, i);
  }
}

template <class T>
__global__ void count_damaged_kernel(const T* tensor, std::int64_t count, std::uint64_t seed,
                                     unsigned long long* damaged) {
  unsigned long long mine = 0;
  for (std::int64_t i = first_index(); i < count; i += grid_threads()) {
    if (!(widen(tensor[i]) == widen(random_element<T>(seed, i)))) ++mine;
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

__global__ void row_statistics_kernel(ReferenceCall call, RowStatistics* statistics) {
  __shared__ double warp_sums[32];
  const auto count = static_cast<double>(call.row_len);
  for (std::int64_t r = blockIdx.x; r < call.rows; r += gridDim.x) {
    const std::int64_t begin = r * call.row_len;
    const std::int64_t end = begin + call.row_len;
    double mean = 0;
    if (call.kind == Statistics::mean_variance) {
      double sum = 0;
      for (std::int64_t i = begin + threadIdx.x; i < end; i += blockDim.x) {
        sum += load_summed(call, i);
      }
      mean = block_sum(sum, warp_sums) / count;
    }
    double squares = 0;
    for (std::int64_t i = begin + threadIdx.x; i < end; i += blockDim.x) {
      const double centred = load_summed(call, i) - mean;
      squares += centred * centred;
    }
    const double variance = block_sum(squares, warp_sums) / count;
    if (threadIdx.x == 0) statistics[r] = {mean, 1 / sqrt(variance + call.eps)};
  }
}

__global__ void compare_kernel(ReferenceCall call, Comparison* tallies) {
  Comparison tally{};
  const std::int64_t count = call.rows * call.row_len;
  for (std::int64_t index = first_index(); index < count; index += grid_threads()) {
    const std::int64_t row = index / call.row_len;
    const std::int64_t channel = row % call.affine.row_period * call.affine.channels_per_row +
                                 (index - row * call.row_len) / call.affine.inner;
    const Expected reference = expected(call, load_summed(call, index), call.statistics[row],
                                        load_affine(call, row, channel));
    count_element(tally, index, load(call.y_type, call.tensors.y, index), reference);
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

int blocks_for_elements(std::int64_t count) {
  return blocks_for((count + block_threads - 1) / block_threads, 8192);
}

}  // namespace

cudaError_t enqueue_fill_random(void* tensor, DType type, std::int64_t count, std::uint64_t seed,
                                cudaStream_t stream) {
  if (count == 0) return cudaSuccess;
  with_elements(type, tensor, [&](auto* elements) {
    fill_random_kernel<<<blocks_for_elements(count), block_threads, 0, stream>>>(elements, count,
                                                                                 seed);
  });
  return cudaGetLastError();
}

cudaError_t enqueue_count_damaged(const void* tensor, DType type, std::int64_t count,
                                  std::uint64_t seed, unsigned long long* damaged,
                                  cudaStream_t stream) {
  const cudaError_t error = cudaMemsetAsync(damaged, 0, sizeof *damaged, stream);
  if (error != cudaSuccess || count == 0) return error;
  with_elements(type, tensor, [&](const auto* elements) {
    count_damaged_kernel<<<blocks_for_elements(count), block_threads, 0, stream>>>(elements, count,
                                                                                   seed, damaged);
  });
  return cudaGetLastError();
}

cudaError_t enqueue_row_statistics(const ReferenceCall& call, RowStatistics* statistics,
                                   cudaStream_t stream) {
  const int blocks = blocks_for(call.rows, 1 << 20);
  row_statistics_kernel<<<blocks, threads_for_row(call.row_len), 0, stream>>>(call, statistics);
  return cudaGetLastError();
}

cudaError_t enqueue_compare(const ReferenceCall& call, Comparison* tallies, cudaStream_t stream) {
  compare_kernel<<<comparison_blocks, block_threads, 0, stream>>>(call, tallies);
  return cudaGetLastError();
}

}  // namespace fastnorm::measure
