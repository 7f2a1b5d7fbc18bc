// SPDX-License-Identifier: Apache-2.0
/// The kernel shapes of the two-read strategies.
#pragma once

#include "backends/cuda/kernel_table.hpp"

namespace fastnorm::cuda {

using TwoReadUnrolls = UnrollList<1, 4>;

}  // namespace fastnorm::cuda
