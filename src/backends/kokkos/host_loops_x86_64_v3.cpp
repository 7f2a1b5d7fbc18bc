// SPDX-License-Identifier: Apache-2.0
// For level 3 of x86-64, by this source's options.
#define FASTNORM_ISA x86_64_v3
#include "backends/kokkos/loops_of_isa.hpp"
