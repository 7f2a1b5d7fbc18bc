// SPDX-License-Identifier: Apache-2.0
/// The kernel shapes of the strategies that read x once.
#pragma once

#include "backends/cuda/kernel_table.hpp"

namespace fastnorm::cuda {

using SingleReadScalarUnrolls = UnrollList<1, 4>;
using SingleReadUnrolls = UnrollList<1, 4, 8>;

}  // namespace fastnorm::cuda
