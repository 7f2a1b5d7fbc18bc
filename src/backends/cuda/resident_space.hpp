// SPDX-License-Identifier: Apache-2.0
/// What the strategies that keep rows in registers share on the host.
#pragma once

#include "backends/cuda/priorities.hpp"
#include "backends/cuda/row_config.hpp"
#include "backends/cuda/row_space.hpp"
#include "core/backend.hpp"
#include "core/problem.hpp"

#include <fastnorm/norm_desc.hpp>

#include <cstdint>
#include <vector>

namespace fastnorm::cuda {

/// Vectors, or single elements, that lie within `length` elements, wherever those start.
constexpr std::int64_t most_vectors(std::int64_t length, int vec_width) {
  return length / vec_width;
}

/// A row's longest part that `threads` threads can keep.
constexpr std::int64_t resident_capacity(std::int64_t threads, int vec_width, int unroll) {
  return threads * unroll * vec_width + vec_width - 1;
}

/// The smallest block that the strategies with a block or more a row use.
inline constexpr int fewest_threads = 64;

/// The block that has just enough threads to keep `length` elements.
int fitting_threads(std::int64_t length, int vec_width, int unroll) noexcept;

/// Unrolls that the kernels have for loads of this width, from the smallest.
const std::vector<int>& resident_unrolls(int vec_width);

/// The longest part of a row that `threads` threads with the largest unroll can keep.
std::int64_t longest_part(const Problem& problem, std::int64_t threads) noexcept;

/// The same of the largest block.
std::int64_t longest_part_of_block(const Problem& problem, const DeviceInfo& device) noexcept;

/// Whether half of the unrolled vectors would have nothing to hold: the smallest block does with
/// fewer.
bool leaves_unroll_idle(std::int64_t length, const ResidentConfig& config) noexcept;

/// Vectors of a block's busiest thread: warps are filled one after the other.
double most_thread_vectors(double block_len, const ResidentConfig& config) noexcept;

/// Whether h can be kept packed, as the elements' type, and a launch can have all rows at once.
Support supports_resident(const Problem& problem);

/// Load width, unroll and block size.
Support supports_resident_config(const Problem& problem, const DeviceInfo& device,
                                 const ResidentConfig& config, int most_threads);

/// Lists, for each unroll, the one block that has just enough threads to keep `length` elements.
template <class AnyResidentConfig>
void add_fitting_blocks(std::vector<AnyResidentConfig>& list, AnyResidentConfig config,
                        std::int64_t length, const Problem& problem, const DeviceInfo& device) {
  for (const int unroll : resident_unrolls(config.vec_width)) {
    config.unroll = unroll;
    config.threads = fitting_threads(length, config.vec_width, unroll);
    if (leaves_unroll_idle(length, config)) continue;
    add_with_priorities(list, config, problem, device);
  }
}

}  // namespace fastnorm::cuda
