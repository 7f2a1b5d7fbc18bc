// SPDX-License-Identifier: Apache-2.0
/// What a row kernel is expected to take. One model serves the heuristic (its minimum over
/// a strategy's space is the default) and the order in which a tuner tries configurations.
#pragma once

#include "backends/cuda/row_config.hpp"
#include "core/device_info.hpp"
#include "core/problem.hpp"

#include <cstdint>

namespace fastnorm::cuda {

/// One block's share of the rows, and how often the rows are met.
struct RowWork {
  std::int64_t blocks = 0;     ///< In all.
  std::int64_t block_len = 0;  ///< Elements of a block.
  int kernels = 1;      ///< Launches; with two, the second read starts after the whole first.
  double extra_us = 0;  ///< Whatever else the strategy launches or waits for.
};

double estimate_two_reads_us(const Problem& problem, const DeviceInfo& device,
                             const RowConfig& config, const RowWork& work);

/// A block's share where x is read once, into registers.
struct ResidentWork {
  std::int64_t blocks = 0;        ///< In all.
  double block_len = 0;           ///< Elements of a block.
  double thread_vectors = 0;      ///< That the busiest thread keeps.
  double reduction_us = 0;        ///< From the last load to the first store.
  double contiguous_bytes = 512;  ///< Of a warp's access, before it goes on in another row.
  int cluster = 1;                ///< Blocks that start together.
};

double estimate_one_read_us(const Problem& problem, const DeviceInfo& device,
                            const ResidentConfig& config, const ResidentWork& work);

/// How rows stream through a persistent grid.
struct StreamWork {
  std::int64_t teams = 0;
  std::int64_t blocks_per_row = 1;  ///< Of a team.
  std::int64_t rounds = 0;          ///< Rows of the busiest team.
  std::int64_t chunks = 0;          ///< Of a row, a block.
  std::int64_t slots = 0;           ///< Chunks that a block has room for,
  std::int64_t held = 0;            ///< and of a row, those that it holds.
  std::int64_t cached = 0;          ///< Of the others, how many the L2 keeps at most.
  int slot_vectors = 0;             ///< Of a chunk.
  Exchange exchange = Exchange::memory;
  int statistics_warps = 0;
  int apply_warps = 0;
  int apply_groups = 1;
};

double estimate_stream_us(const Problem& problem, const DeviceInfo& device, const StreamWork& work);

/// How rows go through a persistent grid that reads each twice.
struct WindowWork {
  std::int64_t teams = 0;
  std::int64_t blocks_per_row = 1;  ///< Of a team.
  std::int64_t part_len = 0;        ///< Elements of a block, of a row.
  std::int64_t rounds = 0;          ///< Rows of the busiest team.
  double bytes_between_reads = 0;   ///< Of all teams: what the L2 is to keep.
};

double estimate_window_us(const Problem& problem, const DeviceInfo& device, const RowConfig& config,
                          const WindowWork& work);

}  // namespace fastnorm::cuda
