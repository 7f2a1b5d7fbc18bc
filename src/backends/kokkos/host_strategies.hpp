// SPDX-License-Identifier: Apache-2.0
/// The strategies of kokkos-host.
#pragma once

#include "backends/kokkos/lanes.hpp"
#include "backends/kokkos/normalization.hpp"
#include "backends/kokkos/row_moments.hpp"
#include "backends/kokkos/strategy.hpp"

#include <array>
#include <memory>
#include <vector>

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

/// Rows, or samples, of a wave, at most.
inline constexpr int max_wave = 1 << 20;

inline Support supports_wave(int wave) { return in_range("wave", wave, 1, max_wave); }

/// Those worth trying: an output that a thread's own cache has room for is not sent past it.
std::vector<Stores> stores_for(const Problem& problem, const DeviceInfo& device);

/// Pieces of rows are scattered, and too short to fill lines.
inline Support supports_stores(const Problem& problem, Stores store) {
  if (store == Stores::cached || problem.dense_rows()) return Support::yes();
  return Support::no("store=streaming needs rows that each lie in one piece");
}

/// Threads that may share out so many rows: one, which wakes no other, half, or all.
std::vector<int> thread_counts(std::int64_t rows, const DeviceInfo& device);

/// Waves of rows of so many bytes: one row, as many as the threads' own caches hold, or as all
/// caches do, or all rows.
std::vector<int> wave_sizes(std::int64_t rows, double row_bytes, const DeviceInfo& device);

/// The call on those tensors. An output over an input is in the cache already when it is written.
Normalization with_outputs(const Normalization& call, const NormArgs& args, Stores store);

/// Host kernels take any element-aligned pointers, so their strategies need no fallback.
class HostExecutable : public Executable {
 public:
  bool accepts(const NormArgs&) const noexcept final { return true; }
};

}  // namespace fastnorm::kokkos
