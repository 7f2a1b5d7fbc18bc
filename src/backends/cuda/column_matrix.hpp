// SPDX-License-Identifier: Apache-2.0
/// Matrices of positions by columns (core/column_matrix.hpp) as kernels take them.
#pragma once

#include "backends/cuda/device/column_params.hpp"
#include "core/backend.hpp"
#include "core/column_matrix.hpp"
#include "core/problem.hpp"

#include <optional>

namespace fastnorm::cuda {

/// The problem as matrices, one a sample; none if it is not that, or larger than kernels can count.
std::optional<ColumnGeometry> column_geometry(const Problem& problem);

/// Whether it is, or why not.
Support supports_columns(const Problem& problem);

/// Everything of the parameters but the pointers. The problem is one of matrices.
ColumnParams column_params(const Problem& problem, const CacheUse& cache);

/// Whether x and what is like it, and y, have a vector's boundary at the first column of every
/// position, and a tile may begin every so many columns.
bool columns_at_vectors(const ColumnGeometry& geometry, std::int64_t columns) noexcept;

}  // namespace fastnorm::cuda
