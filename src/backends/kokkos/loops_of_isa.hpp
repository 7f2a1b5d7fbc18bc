// SPDX-License-Identifier: Apache-2.0
/// Defines the loops of FASTNORM_ISA, for the source that is compiled for it and includes this.
#pragma once

#include "backends/kokkos/column_loops.hpp"
#include "backends/kokkos/row_loops.hpp"

namespace fastnorm::kokkos {
inline namespace FASTNORM_ISA {

extern const HostLoops loops;
const HostLoops loops{row_loops, column_loops};

}  // namespace FASTNORM_ISA
}  // namespace fastnorm::kokkos
