// SPDX-License-Identifier: Apache-2.0
/// The affine map of neighbouring channels: gamma and beta, composed with a sample's scale and
/// shift.
#pragma once

#include "backends/cuda/device/channel_values.cuh"
#include "backends/cuda/device/row_params.hpp"

#include <cstdint>

namespace fastnorm::cuda {

/// The affine map of kVec elements, composed with the modulation: what a row asks of its channels.
/// Nothing of it depends on the statistics, so it may be read while those are still on their way.
template <class Acc, int kVec>
struct AffineValues {
  Acc factor[kVec];
  Acc offset[kVec];
};

template <RowForm kForm>
__device__ __forceinline__ bool is_modulated(const CallParams& params) {
  return kForm == RowForm::fused && params.epilogue.modulation == Modulation::scale_shift;
}

/// From gamma to the factor.
template <RowForm kForm, class Acc, int kVec>
__device__ __forceinline__ void centre(const CallParams& params, Acc (&factor)[kVec]) {
  if (kForm == RowForm::fused && params.tensors.gamma != nullptr &&
      params.epilogue.gamma == GammaForm::centred_zero) {
#pragma unroll
    for (int k = 0; k < kVec; ++k) factor[k] += 1;
  }
}

template <class Acc, int kVec>
__device__ __forceinline__ void modulate(AffineValues<Acc, kVec>& affine, const Acc (&scale)[kVec],
                                         const Acc (&shift)[kVec]) {
#pragma unroll
  for (int k = 0; k < kVec; ++k) {
    affine.factor[k] = fma(affine.factor[k], scale[k], affine.factor[k]);
    affine.offset[k] = fma(affine.offset[k], scale[k], affine.offset[k]) + shift[k];
  }
}

/// Of kVec neighbouring channels, from `channel` on in gamma and beta and from `modulation` on in
/// scale and shift.
template <class T, RowForm kForm, int kVec>
__device__ __forceinline__ AffineValues<Accumulator<T>, kVec> affine_of_channels(
    const CallParams& params, std::int64_t channel, std::int64_t modulation) {
  using Acc = Accumulator<T>;
  const NormArgs& tensors = params.tensors;
  const DType type = params.affine_type;
  AffineValues<Acc, kVec> affine;
  channel_values<T>(tensors.gamma, type, channel, Acc{1}, affine.factor);
  channel_values<T>(tensors.beta, type, channel, Acc{0}, affine.offset);
  centre<kForm>(params, affine.factor);
  if (is_modulated<kForm>(params)) {
    Acc scale[kVec];
    Acc shift[kVec];
    channel_values<T>(tensors.scale, type, modulation, Acc{0}, scale);
    channel_values<T>(tensors.shift, type, modulation, Acc{0}, shift);
    modulate(affine, scale, shift);
  }
  return affine;
}

}  // namespace fastnorm::cuda
