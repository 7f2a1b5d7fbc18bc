/// What a two-read row kernel is expected to take. One model serves the heuristic (its minimum over
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

}  // namespace fastnorm::cuda
