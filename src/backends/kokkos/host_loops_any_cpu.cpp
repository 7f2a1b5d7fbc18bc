// SPDX-License-Identifier: Apache-2.0
// For every processor that the build is for.
#include "backends/kokkos/loops_of_isa.hpp"
