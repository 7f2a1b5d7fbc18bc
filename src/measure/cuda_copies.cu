// SPDX-License-Identifier: Apache-2.0
#include "measure/cuda_copies.cuh"

#include <cstdint>

namespace fastnorm::measure {
namespace {

template <int accesses>
__global__ void one_shot_copy_kernel(uint4* to, const uint4* from, std::int64_t vectors,
                                     int tail_bytes) {
  const std::int64_t first =
      static_cast<std::int64_t>(blockIdx.x) * blockDim.x * accesses + threadIdx.x;
  uint4 held[accesses];
#pragma unroll
  for (int a = 0; a < accesses; ++a) {
    const std::int64_t i = first + static_cast<std::int64_t>(a) * blockDim.x;
    if (i < vectors) held[a] = from[i];
  }
#pragma unroll
  for (int a = 0; a < accesses; ++a) {
    const std::int64_t i = first + static_cast<std::int64_t>(a) * blockDim.x;
    if (i < vectors) to[i] = held[a];
  }
  if (blockIdx.x == 0 && threadIdx.x < static_cast<unsigned>(tail_bytes)) {
    reinterpret_cast<char*>(to + vectors)[threadIdx.x] =
        reinterpret_cast<const char*>(from + vectors)[threadIdx.x];
  }
}

template <int accesses>
cudaError_t enqueue(int threads, void* to, const void* from, std::size_t bytes,
                    cudaStream_t stream) {
  const auto vectors = static_cast<std::int64_t>(bytes / sizeof(uint4));
  const std::int64_t per_block = static_cast<std::int64_t>(threads) * accesses;
  const auto blocks = static_cast<unsigned>(vectors / per_block + 1);
  one_shot_copy_kernel<accesses>
      <<<blocks, threads, 0, stream>>>(static_cast<uint4*>(to), static_cast<const uint4*>(from),
                                       vectors, static_cast<int>(bytes % sizeof(uint4)));
  return cudaGetLastError();
}

}  // namespace

cudaError_t enqueue_copy(CopyShape shape, void* to, const void* from, std::size_t bytes,
                         cudaStream_t stream) {
  switch (shape.accesses) {
    case 1:
      return enqueue<1>(shape.threads, to, from, bytes, stream);
    case 2:
      return enqueue<2>(shape.threads, to, from, bytes, stream);
    case 4:
      return enqueue<4>(shape.threads, to, from, bytes, stream);
    default:
      return cudaErrorInvalidValue;
  }
}

}  // namespace fastnorm::measure
