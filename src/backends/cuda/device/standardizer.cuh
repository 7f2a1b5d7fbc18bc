// SPDX-License-Identifier: Apache-2.0
/// From h to the normalised value, once a row's statistics are known.
#pragma once

#include "backends/cuda/device/element.cuh"
#include "backends/cuda/device/moments.cuh"
#include "backends/cuda/device/row_params.hpp"
#include "core/enum_values.hpp"

namespace fastnorm::cuda {

/// The largest |mean| / std at which (h - mean) * rstd may be formed as h * rstd - mean * rstd,
/// whose error is that of rounding the product: as small as a rounding of h, or, where x and y have
/// a half-width type, below what their own roundings make of values of the size of the std.
template <class T, RowForm kForm>
__device__ __forceinline__ Accumulator<T> most_ordinary_mean(const CallParams& params) {
  const bool half = sizeof(T) == 2 && (kForm == RowForm::plain || params.y_type != DType::f32);
  return half ? 256 : 2;
}

/// (h - mean) * rstd as fma(h - origin, rstd, shift).
template <class Acc>
struct Standardizer {
  bool
      is_ordinary;  ///< Nothing needs to be subtracted first: the origin is 0. Of almost every row.
  Acc origin;       ///< 0 or the mean. What the mean's rounding leaves is as small as a rounding
                    ///< of x, and is part of the shift.
  Acc rstd;
  Acc shift;  ///< Of the normalised value: the mean, or what its rounding left.

  __device__ __forceinline__ Standardizer(const RowStatistics<Acc>& statistics,
                                          Acc most_ordinary_mean)
      : is_ordinary(fabs(statistics.mean * statistics.rstd) <= most_ordinary_mean),
        origin(is_ordinary ? Acc{0} : statistics.mean),
        rstd(statistics.rstd),
        shift(is_ordinary ? fma(-statistics.mean, statistics.rstd,
                                -statistics.mean_residual * statistics.rstd)
                          : -statistics.mean_residual * statistics.rstd) {}
};

/// As a gamma of that type is multiplied with.
template <class Acc>
__device__ __forceinline__ Acc rounded(Acc value, DType type) {
  static_assert(all_dtypes.size() == 4, "A new type is rounded to here, too.");
  if (type == DType::f16) return from_element(__float2half_rn(static_cast<float>(value)));
  if (type == DType::bf16) return from_element(__float2bfloat16_rn(static_cast<float>(value)));
  if (type == DType::f32) return static_cast<float>(value);
  return value;
}

}  // namespace fastnorm::cuda
