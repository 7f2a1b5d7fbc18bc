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
      : params_(params),
        hint_(params.cache.store),
        modulation_(tile.sample * channels(params.geometry)),
        y_(tile.sample * params.geometry.y_sample + tile.begin + column) {
    const bool own_affine = params.geometry.affine == AffineAxis::column;
    AffineValues<Acc, kVec> affine;
    if (own_affine) {
      const std::int64_t channel = tile.begin + column;
      affine = affine_of_channels<T, kForm, kVec>(params, channel, modulation_ + channel);
    }
    two_steps_ = !own_affine || rounds(params);
#pragma unroll
    for (int k = 0; k < kVec; ++k) {
      const Standardizer<Acc> standardizer(of_pieces[tile.piece_of(params.geometry, column + k)],
                                           most_ordinary_mean<T, kForm>(params));
      origin_[k] = standardizer.origin;
      scale_[k] = standardizer.rstd;
      shift_[k] = standardizer.shift;
      if (!two_steps_) {
        scale_[k] *= affine.factor[k];
        shift_[k] = fma(standardizer.shift, affine.factor[k], affine.offset[k]);
      } else if (own_affine) {
        affine_.factor[k] = affine.factor[k];
        affine_.offset[k] = affine.offset[k];
      }
    }
  }

  /// h of kPositions positions, `step` apart. `x` is where x has column `column` of position 0.
  template <int kPositions>
  __device__ __forceinline__ void write(std::int64_t x, std::int64_t position, int step,
                                        Acc (&values)[kPositions * kVec]) const {
    if (kForm == RowForm::fused && params_.tensors.sum != nullptr) {
#pragma unroll
      for (int p = 0; p < kPositions; ++p) {
        write_sum<T>(params_, x + (position + p * step) * params_.geometry.x_position, hint_,
                     of_position(values, p));
      }
    }
#pragma unroll
    for (int p = 0; p < kPositions; ++p) {
#pragma unroll
      for (int k = 0; k < kVec; ++k) {
        Acc& value = values[p * kVec + k];
        value = fma(value - origin_[k], scale_[k], shift_[k]);
      }
    }
    if (two_steps_) {
#pragma unroll
      for (int p = 0; p < kPositions; ++p) map(position + p * step, &values[p * kVec]);
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
  __device__ __forceinline__ void map(std::int64_t position, Acc* values) const {
    if (rounds(params_)) {
#pragma unroll
      for (int k = 0; k < kVec; ++k) values[k] = rounded(values[k], params_.affine_type);
    }
    if (params_.geometry.affine == AffineAxis::column) {
#pragma unroll
      for (int k = 0; k < kVec; ++k) {
        values[k] = fma(values[k], affine_.factor[k], affine_.offset[k]);
      }
    } else {
      const AffineValues<Acc, 1> affine =
          affine_of_channels<T, kForm, 1>(params_, position, modulation_ + position);
#pragma unroll
      for (int k = 0; k < kVec; ++k) values[k] = fma(values[k], affine.factor[0], affine.offset[0]);
    }
  }

  const ColumnParams& params_;
  const CachePolicy hint_;
  const std::int64_t modulation_;  ///< The sample's first, in scale and shift.
  const std::int64_t y_;
  bool two_steps_;  ///< The affine map comes after the normalisation, not with it.
  Acc origin_[kVec];
  Acc scale_[kVec];
  Acc shift_[kVec];
  AffineValues<Acc, kVec> affine_{};
};

}  // namespace fastnorm::cuda
