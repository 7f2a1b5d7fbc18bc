// SPDX-License-Identifier: Apache-2.0
/// What a launch of stream_row makes of a row.
#pragma once

#include "backends/cuda/stream_row_kernel.hpp"
#include "support/shapes.hpp"

#include <fastnorm/norm_desc.hpp>

#include <cstddef>

namespace fastnorm::test {

/// Chunks of a row that the first block of a team has: none has more.
inline int chunks_of_first_block(const NormDesc& desc, const cuda::StreamShape& shape) {
  const auto quotient = [](std::size_t a, const cuda::FastDivide& b) {
    return (a + b.divisor() - 1) / b.divisor();
  };
  const std::size_t vectors = logical_shape(desc).row_len() * size_of(desc.x_type) / 16;
  return static_cast<int>(quotient(quotient(vectors, shape.slot_vectors), shape.blocks_per_row));
}

}  // namespace fastnorm::test
