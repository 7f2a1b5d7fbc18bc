// SPDX-License-Identifier: Apache-2.0
/// One call as the kernels see it: plain values that every functor copies.
#pragma once

#include "backends/kokkos/divisor.hpp"
#include "backends/kokkos/stores.hpp"
#include "core/problem.hpp"

#include <fastnorm/norm_desc.hpp>

#include <Kokkos_Macros.hpp>

#include <cstdint>

namespace fastnorm::kokkos {

/// Where the channels of a row begin.
struct FirstChannels {
  std::int64_t affine = 0;     ///< In gamma and beta.
  std::int64_t of_sample = 0;  ///< In scale and shift.
};

/// What devices divide indices by.
struct Divisors {
  Divisor rows;
  Divisor row_period;
  Divisor rows_per_sample;
  Divisor inner;
  Divisor channels_per_row;
  Divisor run_len;
  Divisor rows_per_outer;
};

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

  Divisors by;

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
    call.by = {Divisor(call.rows),
               Divisor(call.affine.row_period),
               Divisor(call.rows_per_sample),
               Divisor(call.affine.inner),
               Divisor(call.affine.channels_per_row),
               Divisor(call.memory.run_len),
               Divisor(call.memory.rows_per_outer)};
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

  /// Both, as devices find them.
  KOKKOS_FORCEINLINE_FUNCTION FirstChannels first_channels(std::int64_t row) const {
    const std::int64_t first = by.row_period.remainder(row) * affine.channels_per_row;
    return {first, by.rows_per_sample.quotient(row) * channels + first};
  }

  /// Whether the normalised value loses digits before the affine map.
  KOKKOS_FORCEINLINE_FUNCTION bool rounds_normalised() const {
    const DType accumulation = x_type == DType::f64 ? DType::f64 : DType::f32;
    return epilogue.normalised == NormalisedRounding::affine_type && affine_type != accumulation;
  }
};

}  // namespace fastnorm::kokkos
