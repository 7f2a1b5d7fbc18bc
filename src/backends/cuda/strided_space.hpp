// SPDX-License-Identifier: Apache-2.0
/// What strategies are told, on the host and in their kernels, of rows that lie in runs.
#pragma once

#include "backends/cuda/device/strided_geometry.hpp"
#include "core/problem.hpp"

namespace fastnorm::cuda {

StridedGeometry strided_geometry(const Problem& problem);

/// Whether each access of 16 bytes lies within one run, begins at a boundary in every tensor if the
/// first one does, and has one channel or neighbouring ones.
bool has_strided_vectors(const Problem& problem) noexcept;

}  // namespace fastnorm::cuda
