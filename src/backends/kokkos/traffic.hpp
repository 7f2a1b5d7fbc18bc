// SPDX-License-Identifier: Apache-2.0
/// Bytes that a pass over elements moves, for the estimates of all strategies.
#pragma once

#include "core/problem.hpp"

#include <fastnorm/types.hpp>

#include <cstdint>

namespace fastnorm::kokkos {

/// Of x, and of the residual where there is one.
inline double input_bytes(const Problem& problem, std::int64_t elements) {
  const NormDesc& desc = problem.desc();
  const double tensors = desc.residual == Residual::none ? 1 : 2;
  return tensors * static_cast<double>(elements) * static_cast<double>(size_of(desc.x_type));
}

/// Of y.
inline double output_bytes(const Problem& problem, std::int64_t elements) {
  return static_cast<double>(elements) * static_cast<double>(size_of(problem.desc().y_type));
}

}  // namespace fastnorm::kokkos
