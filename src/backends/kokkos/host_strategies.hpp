// SPDX-License-Identifier: Apache-2.0
/// The strategies of kokkos-host.
#pragma once

#include "backends/kokkos/lanes.hpp"
#include "backends/kokkos/row_passes.hpp"
#include "backends/kokkos/strategy.hpp"

#include <array>
#include <memory>

namespace fastnorm::kokkos {

/// A row by one thread, the rows spread over the threads: the second pass finds a row that fits the
/// core's cache there, so that x comes from memory once.
const KernelVariant& host_rows();

/// Parts of rows spread over the threads, in two steps: moments of every part into the workspace,
/// then each part applied. For fewer rows than threads. The parts are merged in order, so that
/// results repeat bit for bit whatever thread took which part.
const KernelVariant& host_split_rows();

/// Rows that lie side by side (channels-last, above all): parts of the positions spread over the
/// threads, each with all of its columns, in two steps; a sample by one thread where there are
/// enough of them. The parts are merged in order.
const KernelVariant& host_columns();

/// Elements whose two statistics passes share the first-level cache: 4 to 16 KiB of floats.
inline constexpr std::array<int, 3> block_sizes{1024, 2048, max_block};

inline Support supports_loops(int lanes, int block) {
  Support support = one_of("lanes", lanes, lane_counts);
  return support.ok ? one_of("block", block, block_sizes) : support;
}

/// Parts that rows or samples are split into, at most.
inline constexpr int max_splits = 1024;

inline Support supports_splits(int splits) { return in_range("splits", splits, 1, max_splits); }

/// Host kernels take any element-aligned pointers, so their strategies need no fallback.
class HostExecutable : public Executable {
 public:
  bool accepts(const NormArgs&) const noexcept final { return true; }
};

}  // namespace fastnorm::kokkos
