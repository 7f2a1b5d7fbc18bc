// SPDX-License-Identifier: Apache-2.0
/// The kernels that write and inspect a tensor's memory, element or not. Each enqueues on the
/// stream; the caller waits.
#pragma once

#include "measure/places.hpp"
#include "measure/random_values.hpp"

#include <cuda_runtime_api.h>

#include <cstdint>

namespace fastnorm::measure {

cudaError_t enqueue_fill_random(void* tensor, DType type, std::int64_t count, Turns turns,
                                std::uint64_t seed, cudaStream_t stream);

cudaError_t enqueue_unset_gaps(void* tensor, DType type, const Places& places, cudaStream_t stream);

// These count into `found`, which they clear first.

cudaError_t enqueue_count_damaged(const void* tensor, DType type, std::int64_t count, Turns turns,
                                  std::uint64_t seed, unsigned long long* found,
                                  cudaStream_t stream);

cudaError_t enqueue_count_set_gaps(const void* tensor, DType type, const Places& places,
                                   unsigned long long* found, cudaStream_t stream);

}  // namespace fastnorm::measure
