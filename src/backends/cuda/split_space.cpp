// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/split_space.hpp"

#include <string>

namespace fastnorm::cuda {
namespace {

/// Parts start at a multiple of a cache line and are worth a block.
constexpr std::int64_t part_grain = 32;
constexpr std::int64_t least_part_len = 512;

}  // namespace

RowSplit split_of(std::int64_t row_len, int splits) {
  RowSplit split;
  const std::int64_t even = (row_len + splits - 1) / splits;
  split.part_len = (even + part_grain - 1) / part_grain * part_grain;
  split.parts = (row_len + split.part_len - 1) / split.part_len;
  return split;
}

std::int64_t worthwhile_parts(const Problem& problem) noexcept {
  return problem.row_len() / least_part_len;
}

Support supports_split(const Problem& problem) {
  if (worthwhile_parts(problem) >= 2) return Support::yes();
  return Support::no("rows of " + std::to_string(problem.row_len()) +
                     " elements are too short to split; at least " +
                     std::to_string(2 * least_part_len));
}

}  // namespace fastnorm::cuda
