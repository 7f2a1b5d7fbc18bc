// SPDX-License-Identifier: Apache-2.0
/// What the tuning database tells problems apart by.
#pragma once

#include "core/epilogue_key.hpp"
#include "core/problem.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace fastnorm {

/// What must agree between an entry and a problem for the entry to say anything; of the epilogue,
/// the tensors that it reads.
struct TuningKey {
  std::string backend;  ///< Backend::name().
  Op op = Op::group_norm;
  DType x_type = DType::f32;
  DType y_type = DType::f32;
  DType affine_type = DType::f32;
  Layout layout = Layout::channels_first;
  EpilogueKey epilogue;
  int alignment = 16;          ///< Bytes.
  bool deterministic = false;  ///< Whether the entry's strategy is.

  /// That of an entry for the problem, with the widest alignment.
  static TuningKey of(const Problem& problem, std::string_view backend);
  friend bool operator==(const TuningKey& a, const TuningKey& b);
};

struct TuningShape {
  std::int64_t n = 0;
  std::int64_t c = 0;
  std::int64_t groups = 0;
  std::int64_t inner = 0;  ///< Product of the spatial extents.
  static TuningShape of(const Problem& problem);
  friend bool operator==(const TuningShape& a, const TuningShape& b);
};

/// Whether the database of no back end can tell the two apart.
bool share_an_entry(const Problem& a, const Problem& b);

}  // namespace fastnorm
