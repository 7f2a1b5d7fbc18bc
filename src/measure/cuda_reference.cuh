// SPDX-License-Identifier: Apache-2.0
/// The kernels behind a CUDA space's reference. Each enqueues on the stream; the caller waits.
#pragma once

#include "measure/reference.hpp"

#include <cuda_runtime_api.h>

namespace fastnorm::measure {

cudaError_t enqueue_row_statistics(const ReferenceCall& call, RowStatistics* statistics,
                                   cudaStream_t stream);

/// One tally a block: the host merges them, in order.
inline constexpr int comparison_blocks = 1024;
cudaError_t enqueue_compare(const ReferenceCall& call, Comparison* tallies, cudaStream_t stream);

}  // namespace fastnorm::measure
