// SPDX-License-Identifier: Apache-2.0
/// How rows are cut into parts for the strategies with two steps.
#pragma once

#include "backends/kokkos/moments.hpp"

#include <Kokkos_Macros.hpp>

#include <algorithm>
#include <cstdint>

namespace fastnorm::kokkos {

struct Parts {
  std::int64_t row_len = 0;
  std::int64_t part_len = 0;  ///< Of all parts but a row's last.
  std::int64_t per_row = 0;

  /// At most `splits` parts a row. Their bounds are multiples of 16 elements, so that in aligned
  /// rows no two threads write to one cache line and every part starts at a vector's boundary. An
  /// empty row has none.
  static Parts of(std::int64_t row_len, std::int64_t splits) {
    constexpr std::int64_t line = 16;
    Parts parts;
    parts.row_len = row_len;
    const std::int64_t lines = (row_len + line - 1) / line;
    parts.part_len = std::max<std::int64_t>((lines + splits - 1) / splits, 1) * line;
    parts.per_row = (row_len + parts.part_len - 1) / parts.part_len;
    return parts;
  }

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t begin(std::int64_t part) const {
    return part * part_len;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t end(std::int64_t part) const {
    const std::int64_t next = (part + 1) * part_len;
    return next < row_len ? next : row_len;
  }
};

/// A row's moments from its partials, always merged in the same order.
KOKKOS_FORCEINLINE_FUNCTION Moments merge_row(const Moments* partials, const Parts& parts,
                                              std::int64_t row) {
  Moments moments;
  for (std::int64_t i = 0; i < parts.per_row; ++i) {
    merge(moments, partials[row * parts.per_row + i]);
  }
  return moments;
}

}  // namespace fastnorm::kokkos
