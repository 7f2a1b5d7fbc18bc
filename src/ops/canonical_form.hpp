/// Each operation's way into the canonical form. Adding an operation with the same statistics is
/// one file here, its line below and its case in Problem::create.
#pragma once

#include "core/problem.hpp"

#include <fastnorm/norm_desc.hpp>
#include <fastnorm/status.hpp>

#include <cstdint>

namespace fastnorm {

struct CanonicalForm {
  std::int64_t rows = 0;
  std::int64_t row_len = 0;
  AffineMap affine;
};

/// The extents are validated by then: N >= 0, C >= 1, `inner` (the product of the spatial extents)
/// >= 0, and no product of them overflows. Errors name the operation's own arguments.
Result<CanonicalForm> group_norm_form(const NormDesc& desc, std::int64_t inner);
Result<CanonicalForm> instance_norm_form(const NormDesc& desc, std::int64_t inner);

}  // namespace fastnorm
