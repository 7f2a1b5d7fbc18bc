// SPDX-License-Identifier: Apache-2.0
/// What a tile of columns is expected to take in registers, as row_cost_model.hpp says it of rows.
#pragma once

#include "backends/cuda/column_config.hpp"
#include "core/device_info.hpp"
#include "core/problem.hpp"

#include <cstdint>

namespace fastnorm::cuda {

struct ResidentColumnsWork {
  std::int64_t blocks = 0;  ///< In all.
  int tile_bytes = 0;       ///< Of a position: what is contiguous,
  bool alone = true;        ///< and no other tile's columns lie beside it.
  double held = 1;          ///< Of the positions that the threads have registers for, the share
                            ///< that there is.
  bool groups_are_warps = false;
};

double estimate_resident_columns_us(const Problem& problem, const DeviceInfo& device,
                                    const ResidentColumnsConfig& config,
                                    const ResidentColumnsWork& work);

}  // namespace fastnorm::cuda
