// SPDX-License-Identifier: Apache-2.0
/// What a caller asks for: the operation's descriptor and its tensors.
#pragma once

#include <fastnorm/types.hpp>

#include <cstdint>

namespace fastnorm {

/// What happens to a value between its normalisation and its store. Nothing of it costs memory
/// traffic but the tensors that it names in NormArgs.
struct Epilogue {
  Activation activation = Activation::none;
  float slope = 0.01F;  ///< leaky_relu: finite.
  float alpha = 1;      ///< elu: finite.
  float lower = -1;     ///< clamp: lower <= upper; neither is NaN.
  float upper = 1;
  GammaForm gamma = GammaForm::factor;
  NormalisedRounding normalised = NormalisedRounding::none;
  Modulation modulation = Modulation::none;
};

/// One normalization, without its pointers.
///
/// For each row, a set of elements that share their statistics, with h = x or x + residual:
///
///     mean = sum_i h_i / count          rstd = 1 / sqrt(sum_i (h_i - mean)^2 / count + eps)
///     y_i  = activation(((h_i - mean) * rstd * gamma + beta) * (1 + scale) + shift)
///
/// with gamma, beta, scale and shift of the element's channel. rms_norm has mean = 0 throughout.
///
/// group_norm: a row is a group of C / groups channels of one sample. Wu and He, "Group
/// Normalization", arXiv:1803.08494, equations 1-3 and 6.
/// instance_norm: a row is one channel of one sample. Ulyanov et al., "Instance Normalization",
/// arXiv:1607.08022.
/// layer_norm: a row is the last `normalized_rank` extents, and each of its elements is a channel.
/// Ba, Kiros and Hinton, "Layer Normalization", arXiv:1607.06450, equation 4.
/// rms_norm: the same without the mean. Zhang and Sennrich, "Root Mean Square Layer Normalization",
/// arXiv:1910.07467, equation 4 (with eps under the root).
///
/// A tensor without elements (N = 0 or an empty spatial extent) is no error: nothing is written.
/// Where a row's variance (rms_norm: mean square) exceeds the accumulation type, its outputs are
/// NaN, or right where a back end has the range.
struct NormDesc {
  Op op = Op::group_norm;
  /// group_norm, instance_norm: N, C, spatial...; rank >= 2, C >= 1. layer_norm, rms_norm: any, the
  /// last normalized_rank of them >= 1. Any extent >= 0 else. A tensor of the extents that are not
  /// 0 has fewer than 2^63 bytes.
  Extents extents{};
  std::int64_t groups = 0;  ///< group_norm: divides C. instance_norm: 0 or C. Else 0 or 1.
  int normalized_rank = 1;  ///< layer_norm, rms_norm: trailing extents in a row. Else ignored.
  /// Added to the variance; finite, >= 0. Kept in the accumulation type or better (fp32: what is
  /// below 1e-45 may count as 0).
  double eps = 1e-5;
  /// x_type and y_type are equal, or one is f32 and the other f16 or bf16. Accumulation is in f64
  /// for f64, else in f32. Stores round to nearest even.
  DType x_type = DType::f32;       ///< Of x, residual and sum.
  DType y_type = DType::f32;       ///< Of y.
  DType affine_type = DType::f32;  ///< Of gamma, beta, scale and shift: x_type or f32.
  /// Of tensors that have no strides. layer_norm, rms_norm: channels_first.
  Layout layout = Layout::channels_first;
  /// Of x, residual and sum. None: dense, in the order of the layout. Else one for each extent, at
  /// least 1 where that is above 1. The smaller strides reach over less than a larger one, so that
  /// no two elements share a place, and all of them over fewer than 2^63 bytes.
  ///
  /// What has a form is a tensor whose rows are runs of elements side by side, of one length and
  /// equally far apart (one run: a contiguous row; runs of one element: a column), in x and y
  /// alike. group_norm, instance_norm: a row's elements may be ordered as C, spatial or as spatial,
  /// C. layer_norm, rms_norm: two distances may lead from row to row, one within the other. All
  /// else is unsupported.
  Strides x_strides{};
  Strides y_strides{};  ///< Of y.
  Residual residual = Residual::none;
  Epilogue epilogue{};
};

/// The tensors of one call. The caller owns them all and keeps them alive until the work is done.
/// All lie in the plan's memory space. An output may be x or the residual itself (in place), of the
/// same type and strides; apart from that, no output may overlap another tensor. What lies between
/// the elements of a strided tensor is not read or written, and may belong to another tensor of the
/// same type and strides. Pointers lead to the first element, and are aligned to their element size
/// at least.
///
/// A channel, below, is one of C (group_norm, instance_norm), or an element of a row (layer_norm,
/// rms_norm). A sample is an index of the first extent; where that belongs to the row, there is one
/// sample.
struct NormArgs {
  const void* x = nullptr;      ///< Input, as NormDesc::extents says. Null only where it is empty.
  void* y = nullptr;            ///< Output, same shape.
  const void* gamma = nullptr;  ///< [channels], or null for a factor of 1.
  const void* beta = nullptr;   ///< [channels], or null for 0.
  /// Optional output, one a row ([N, groups] for group_norm), accumulation type. Null for rms_norm.
  void* mean = nullptr;
  void* rstd = nullptr;  ///< The same, of 1 / sqrt(variance + eps).
  const void* residual =
      nullptr;          ///< Input like x; not null exactly where desc.residual asks for it.
  void* sum = nullptr;  ///< Optional output x + residual, like x.
  const void* scale =
      nullptr;  ///< [samples, channels] or null for 0; with Modulation::scale_shift.
  const void* shift = nullptr;  ///< The same.
};

}  // namespace fastnorm
