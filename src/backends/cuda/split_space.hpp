// SPDX-License-Identifier: Apache-2.0
/// What the strategies share on the host that cut a row into parts of one block each.
#pragma once

#include "backends/cuda/device/row_params.hpp"
#include "core/backend.hpp"
#include "core/problem.hpp"

#include <cstdint>

namespace fastnorm::cuda {

/// The cut into `splits` parts, or fewer where rounding their length leaves none for the last.
RowSplit split_of(std::int64_t row_len, int splits);

/// Parts of a row that are worth a block each.
std::int64_t worthwhile_parts(const Problem& problem) noexcept;

/// Whether there are two of them.
Support supports_split(const Problem& problem);

}  // namespace fastnorm::cuda
