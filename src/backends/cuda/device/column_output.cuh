// SPDX-License-Identifier: Apache-2.0
/// From h to y where a thread has its columns for good.
#pragma once

#include "backends/cuda/device/affine_values.cuh"
#include "backends/cuda/device/column_moments.cuh"
#include "backends/cuda/device/column_params.hpp"
#include "backends/cuda/device/row_output.cuh"
#include "backends/cuda/device/standardizer.cuh"

#include <cstdint>

namespace fastnorm::cuda {

/// kVec columns of a tile: their statistics, and where these have it their affine map.
template <class T, RowForm kForm, int kVec>
class ColumnOutput {
 public:
  using Acc = Accumulator<T>;

  /// `of_pieces`: the statistics of the tile's pieces.
  __device__ __forceinline__ ColumnOutput(const ColumnParams& params, const ColumnTile& tile,
                                          int column, const RowStatistics<Acc>* of_pieces)
      : ColumnOutput(params, tile, column, own_affine(params, tile, column),
                     [&](int k) { return of_pieces[tile.piece_of(params.geometry, column + k)]; }) {
  }

  /// `of_column(k)`: the statistics of the group of column `column` + k. `affine`: own_affine().
  template <class StatisticsOf>
  __device__ __forceinline__ ColumnOutput(const ColumnParams& params, const ColumnTile& tile,
                                          int column, const AffineValues<Acc, kVec>& affine,
                                          StatisticsOf&& of_column)
      : params_(params),
        hint_(params.cache.store),
        modulation_(tile.sample * channels(params.geometry)),
        y_(tile.sample * params.geometry.y_sample + tile.begin + column),
        maps_positions_(has_position_affine(params)),
        two_steps_(maps_positions_ || rounds(params)) {
#pragma unroll
    for (int k = 0; k < kVec; ++k) {
      const Standardizer<Acc> standardizer(of_column(k), most_ordinary_mean<T, kForm>(params));
      origin_[k] = standardizer.origin;
      has_origin_ = has_origin_ || !standardizer.is_ordinary;
      scale_[k] = standardizer.rstd;
      shift_[k] = standardizer.shift;
      if (!two_steps_) {
        scale_[k] *= affine.factor[k];
        shift_[k] = fma(standardizer.shift, affine.factor[k], affine.offset[k]);
      } else if (!maps_positions_) {
        affine_.factor[k] = affine.factor[k];
        affine_.offset[k] = affine.offset[k];
      }
    }
  }

  /// Whether positions have affine maps.
  static __device__ __forceinline__ bool has_position_affine(const ColumnParams& params) {
    const bool alike = params.tensors.gamma == nullptr && params.tensors.beta == nullptr &&
                       !is_modulated<kForm>(params);
    return params.geometry.affine == AffineAxis::position && !alike;
  }

  /// The affine maps of a tile's columns from `column` on, where columns have such; it may be read
  /// before the statistics are known.
  static __device__ __forceinline__ AffineValues<Acc, kVec> own_affine(const ColumnParams& params,
                                                                       const ColumnTile& tile,
                                                                       int column) {
    if (params.geometry.affine == AffineAxis::column) {
      const std::int64_t channel = tile.begin + column;
      return affine_of_channels<T, kForm, kVec>(params, channel,
                                                tile.sample * channels(params.geometry) + channel);
    }
    AffineValues<Acc, kVec> identity;
#pragma unroll
    for (int k = 0; k < kVec; ++k) {
      identity.factor[k] = 1;
      identity.offset[k] = 0;
    }
    return identity;
  }

  /// That of a position, where positions have such.
  static __device__ __forceinline__ AffineValues<Acc, 1> affine_of_position(
      const ColumnParams& params, std::int64_t sample, std::int64_t position) {
    return affine_of_channels<T, kForm, 1>(params, position,
                                           sample * channels(params.geometry) + position);
  }

  /// h of any number of positions becomes the normalised value, or what the columns' affine maps
  /// make of it where the two are one step.
  template <int kValues>
  __device__ __forceinline__ void standardise(Acc (&values)[kValues]) const {
    if (has_origin_) {
#pragma unroll
      for (int i = 0; i < kValues; ++i) values[i] -= origin_[i % kVec];
    }
#pragma unroll
    for (int i = 0; i < kValues; ++i) {
      values[i] = fma(values[i], scale_[i % kVec], shift_[i % kVec]);
    }
  }

  /// h of kPositions positions, `step` apart. `x` is where x has column `column` of position 0.
  template <int kPositions>
  __device__ __forceinline__ void write(std::int64_t x, std::int64_t position, int step,
                                        Acc (&values)[kPositions * kVec]) const {
    write<kPositions>(x, position, step, values, [this](int p, std::int64_t of) {
      return affine_of_channels<T, kForm, 1>(params_, of, modulation_ + of);
    });
  }

  /// The same where affine_at(p, position) knows a position's affine map.
  template <int kPositions, class AffineAt>
  __device__ __forceinline__ void write(std::int64_t x, std::int64_t position, int step,
                                        Acc (&values)[kPositions * kVec],
                                        AffineAt&& affine_at) const {
    if (kForm == RowForm::fused && params_.tensors.sum != nullptr) {
#pragma unroll
      for (int p = 0; p < kPositions; ++p) {
        write_sum<T>(params_, x + (position + p * step) * params_.geometry.x_position, hint_,
                     of_position(values, p));
      }
    }
    standardise(values);
    if (two_steps_) {
#pragma unroll
      for (int p = 0; p < kPositions; ++p) {
        map(&values[p * kVec], [&] { return affine_at(p, position + p * step); });
      }
    }
    activate(params_.epilogue, values);
#pragma unroll
    for (int p = 0; p < kPositions; ++p) {
      store_result<T, kForm>(params_, y_ + (position + p * step) * params_.geometry.y_position,
                             hint_, of_position(values, p));
    }
  }

 private:
  static __device__ __forceinline__ std::int64_t channels(const ColumnGeometry& geometry) {
    return geometry.affine == AffineAxis::column ? geometry.width : geometry.positions;
  }

  static __device__ __forceinline__ bool rounds(const CallParams& params) {
    return kForm == RowForm::fused && params.epilogue.normalised == NormalisedRounding::affine_type;
  }

  template <int kValues>
  static __device__ __forceinline__ const Acc (&of_position(const Acc (&values)[kValues],
                                                            int p))[kVec] {
    return reinterpret_cast<const Acc(&)[kVec]>(values[p * kVec]);
  }

  /// The affine map of normalised values, where it is not part of scale and shift.
  template <class PositionAffine>
  __device__ __forceinline__ void map(Acc* values, PositionAffine&& position_affine) const {
    if (rounds(params_)) {
#pragma unroll
      for (int k = 0; k < kVec; ++k) values[k] = rounded(values[k], params_.affine_type);
    }
    if (maps_positions_) {
      const AffineValues<Acc, 1> affine = position_affine();
#pragma unroll
      for (int k = 0; k < kVec; ++k) values[k] = fma(values[k], affine.factor[0], affine.offset[0]);
    } else {
#pragma unroll
      for (int k = 0; k < kVec; ++k) {
        values[k] = fma(values[k], affine_.factor[k], affine_.offset[k]);
      }
    }
  }

  const ColumnParams& params_;
  const CachePolicy hint_;
  const std::int64_t modulation_;  ///< The sample's first, in scale and shift.
  const std::int64_t y_;
  const bool maps_positions_;
  const bool two_steps_;     ///< The affine map comes after the normalisation, not with it.
  bool has_origin_ = false;  ///< Most rows have 0 (Standardizer).
  Acc origin_[kVec];
  Acc scale_[kVec];
  Acc shift_[kVec];
  AffineValues<Acc, kVec> affine_{};
};

}  // namespace fastnorm::cuda
