// SPDX-License-Identifier: Apache-2.0
/// One call as the kernels see it: plain values that every functor copies.
#pragma once

#include "backends/kokkos/stores.hpp"
#include "core/problem.hpp"

#include <fastnorm/norm_desc.hpp>

#include <Kokkos_Macros.hpp>

#include <cstdint>

namespace fastnorm::kokkos {

struct Normalization {
  std::int64_t rows = 0;
  std::int64_t row_len = 0;
  std::int64_t rows_per_sample = 1;
  std::int64_t channels = 1;  ///< Of a sample.
  AffineMap affine;
  RowMemory memory;
  bool dense_rows = true;  ///< Row r begins with element r * row_len of x and of y.
  double eps = 0;
  Statistics statistics = Statistics::mean_variance;
  DType x_type = DType::f32;
  DType y_type = DType::f32;
  DType affine_type = DType::f32;
  Residual residual = Residual::none;
  Epilogue epilogue{};
  Stores stores = Stores::cached;  ///< On the host.

  NormArgs tensors{};

  static Normalization of(const Problem& problem) {
    const NormDesc& desc = problem.desc();
    Normalization call;
    call.rows = problem.rows();
    call.row_len = problem.row_len();
    call.rows_per_sample = problem.rows_per_sample();
    call.channels = problem.channels();
    call.affine = problem.affine();
    call.memory = problem.memory();
    call.dense_rows = problem.dense_rows();
    call.eps = problem.eps();
    call.statistics = problem.statistics();
    call.x_type = desc.x_type;
    call.y_type = desc.y_type;
    call.affine_type = desc.affine_type;
    call.residual = desc.residual;
    call.epilogue = desc.epilogue;
    return call;
  }

  Normalization with(const NormArgs& args) const {
    Normalization call = *this;
    call.tensors = args;
    return call;
  }

  /// Where the row's channels begin in gamma and beta.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t first_channel(std::int64_t row) const {
    return row % affine.row_period * affine.channels_per_row;
  }

  /// The same in scale and shift.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t first_of_sample(std::int64_t row) const {
    return row / rows_per_sample * channels + first_channel(row);
  }

  /// Whether the normalised value loses digits before the affine map.
  KOKKOS_FORCEINLINE_FUNCTION bool rounds_normalised() const {
    const DType accumulation = x_type == DType::f64 ? DType::f64 : DType::f32;
    return epilogue.normalised == NormalisedRounding::affine_type && affine_type != accumulation;
  }
};

}  // namespace fastnorm::kokkos
