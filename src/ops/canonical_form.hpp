// SPDX-License-Identifier: Apache-2.0
/// Each operation's way into the canonical form. Adding an operation over contiguous rows is one
/// file here, its line below and its case in Problem::create.
#pragma once

#include "core/problem.hpp"
#include "core/row_memory.hpp"
#include "core/strided_axes.hpp"

#include <fastnorm/norm_desc.hpp>
#include <fastnorm/status.hpp>

#include <cstdint>

namespace fastnorm {

struct CanonicalForm {
  std::int64_t rows = 0;
  std::int64_t row_len = 0;
  std::int64_t rows_per_sample = 1;  ///< At least 1, also where there are no rows.
  Statistics statistics = Statistics::mean_variance;
  AffineMap affine;
  RowMemory memory;
};

/// The extents and normalized_rank are validated by then, no product of extents overflows, and
/// `axes` are the extents with their strides.
/// Errors: invalid_argument for the operation's own arguments, which it names; unsupported with
/// what is wrong with the strides, which it does not.
Result<CanonicalForm> group_norm_form(const NormDesc& desc, const StridedAxes& axes);
Result<CanonicalForm> instance_norm_form(const NormDesc& desc, const StridedAxes& axes);
Result<CanonicalForm> layer_norm_form(const NormDesc& desc, const StridedAxes& axes);
Result<CanonicalForm> rms_norm_form(const NormDesc& desc, const StridedAxes& axes);

}  // namespace fastnorm
