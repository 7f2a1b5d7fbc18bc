/// The kernels behind a CUDA space's reference. Each enqueues on the stream; the caller waits.
#pragma once

#include "measure/reference.hpp"

#include <cuda_runtime_api.h>

#include <cstdint>

namespace fastnorm::measure {

cudaError_t enqueue_fill_random(void* tensor, DType type, std::int64_t count, std::uint64_t seed,
                                cudaStream_t stream);

/// Counts into `damaged`, which it clears first.
cudaError_t enqueue_count_damaged(const void* tensor, DType type, std::int64_t count,
                                  std::uint64_t seed, unsigned long long* damaged,
                                  cudaStream_t stream);

cudaError_t enqueue_row_statistics(const ReferenceCall& call, RowStatistics* statistics,
                                   cudaStream_t stream);

/// One tally a block: the host merges them, in order.
inline constexpr int comparison_blocks = 1024;
cudaError_t enqueue_compare(const ReferenceCall& call, Comparison* tallies, cudaStream_t stream);

}  // namespace fastnorm::measure
