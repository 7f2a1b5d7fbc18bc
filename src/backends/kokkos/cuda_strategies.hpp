// SPDX-License-Identifier: Apache-2.0
/// The strategies of kokkos-cuda.
#pragma once

#include "core/backend.hpp"

namespace fastnorm::kokkos {

/// A row by one team of threads.
const KernelVariant& cuda_team_row();

/// Parts of rows by a team each, in two kernels: moments of every part into the workspace, then
/// each part applied. For fewer rows than the device holds teams.
const KernelVariant& cuda_split_rows();

}  // namespace fastnorm::kokkos
