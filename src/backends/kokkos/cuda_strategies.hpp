// SPDX-License-Identifier: Apache-2.0
/// The strategies of kokkos-cuda.
#pragma once

#include "core/backend.hpp"

namespace fastnorm::kokkos {

/// A row by one team of threads.
const KernelVariant& cuda_team_row();

/// A short row by the vector lanes of one thread of a team.
const KernelVariant& cuda_lanes_row();

/// Parts of rows by a team each, in two kernels: moments of every part into the workspace, then
/// each part applied. For fewer rows than the device holds teams.
const KernelVariant& cuda_split_rows();

/// The same, of rows whose elements lie anywhere.
const KernelVariant& cuda_strided_rows();

/// Rows that lie side by side, as channels-last groups do: parts of their positions by a team each,
/// in two kernels, neighbouring columns by neighbouring threads.
const KernelVariant& cuda_columns();

/// A short row by one thread, or a few lanes, neighbouring rows by neighbouring threads: for rows
/// that lie side by side.
const KernelVariant& cuda_thread_row();

}  // namespace fastnorm::kokkos
