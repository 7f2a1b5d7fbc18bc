// SPDX-License-Identifier: Apache-2.0
/// Comparing the outputs of one launch with those of an earlier one on the device, in the stream's
/// order: the host sees the number of differences at the end.
#pragma once

#include <fastnorm/types.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace fastnorm::test {

/// A tensor in halfwords: the size of every element is a multiple of theirs.
struct ComparedOutput {
  std::uint16_t* now = nullptr;
  const std::uint16_t* expected = nullptr;
  std::size_t halfwords = 0;
};

/// y, sum, mean and rstd; without halfwords where a call has no such output.
using ComparedOutputs = std::array<ComparedOutput, 4>;

struct Differences {
  std::uint64_t halfwords = 0;
  std::uint32_t first_launch = ~std::uint32_t{0};
};

/// Enqueues the comparison of what `launch` has written. What has been compared is poisoned, so
/// that the next launch has to write all of it. `found` is memory of the device.
void enqueue_comparison(const ComparedOutputs& outputs, std::uint32_t launch, Differences* found,
                        Stream stream);

}  // namespace fastnorm::test
