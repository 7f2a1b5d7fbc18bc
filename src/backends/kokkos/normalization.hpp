/// One call as the kernels see it: plain values that every functor copies.
#pragma once

#include "backends/kokkos/moments.hpp"
#include "core/problem.hpp"

#include <fastnorm/norm_desc.hpp>

#include <Kokkos_Macros.hpp>

#include <cmath>
#include <cstdint>

namespace fastnorm::kokkos {

struct Normalization {
  std::int64_t rows = 0;
  std::int64_t row_len = 0;
  AffineMap affine;
  double eps = 0;

  const float* x = nullptr;
  float* y = nullptr;
  const float* gamma = nullptr;  ///< Null: 1.
  const float* beta = nullptr;   ///< Null: 0.
  float* mean = nullptr;         ///< Null: not wanted.
  float* rstd = nullptr;

  static Normalization of(const Problem& problem) {
    Normalization call;
    call.rows = problem.rows();
    call.row_len = problem.row_len();
    call.affine = problem.affine();
    call.eps = problem.eps();
    return call;
  }

  Normalization with(const NormArgs& args) const {
    Normalization call = *this;
    call.x = static_cast<const float*>(args.x);
    call.y = static_cast<float*>(args.y);
    call.gamma = static_cast<const float*>(args.gamma);
    call.beta = static_cast<const float*>(args.beta);
    call.mean = static_cast<float*>(args.mean);
    call.rstd = static_cast<float*>(args.rstd);
    return call;
  }

  KOKKOS_INLINE_FUNCTION std::int64_t first_channel(std::int64_t row) const {
    return row % affine.row_period * affine.channels_per_row;
  }
};

/// Turns x into y = (x - mean) * rstd * gamma + beta. The mean is held as a float and the rest that
/// the float misses: subtracting the float first is exact for x near it, so large means cost no
/// digits.
struct Standardizer {
  float centre = 0;  ///< The mean, rounded.
  double rest = 0;   ///< mean - centre.
  double rstd = 0;

  KOKKOS_INLINE_FUNCTION static Standardizer of(const Moments& row, double eps) {
    const auto centre = static_cast<float>(row.mean);
    return {centre, row.mean - static_cast<double>(centre), 1.0 / sqrt(row.m2 / row.count + eps)};
  }

  /// The same for one channel: y = (x - centre) * scale + shift.
  struct Line {
    float centre;
    float scale;
    float shift;
    KOKKOS_INLINE_FUNCTION float operator()(float x) const { return (x - centre) * scale + shift; }
  };

  KOKKOS_INLINE_FUNCTION Line line(double gamma, double beta) const {
    const double scale = rstd * gamma;
    return {centre, static_cast<float>(scale), static_cast<float>(beta - rest * scale)};
  }
};

/// Stores the saved statistics of a row where they are wanted.
KOKKOS_INLINE_FUNCTION void store_statistics(const Normalization& call, std::int64_t row,
                                             const Standardizer& standardizer,
                                             const Moments& moments) {
  if (call.mean != nullptr) call.mean[row] = static_cast<float>(moments.mean);
  if (call.rstd != nullptr) call.rstd[row] = static_cast<float>(standardizer.rstd);
}

}  // namespace fastnorm::kokkos
