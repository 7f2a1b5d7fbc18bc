/// What a caller asks for: the operation's descriptor and its tensors.
#pragma once

#include <fastnorm/types.hpp>

#include <cstdint>

namespace fastnorm {

/// One normalization, without its pointers.
///
/// For each sample n and group g of channels, over the elements i of that group:
///
///     mean = sum_i x_i / count          rstd = 1 / sqrt(sum_i (x_i - mean)^2 / count + eps)
///     y_i  = (x_i - mean) * rstd * gamma[channel of i] + beta[channel of i]
///
/// GroupNorm: Wu and He, "Group Normalization", arXiv:1803.08494, equations 1-3 and 6.
/// InstanceNorm: Ulyanov et al., "Instance Normalization", arXiv:1607.08022; it is GroupNorm with
/// one channel a group.
///
/// A tensor without elements (N = 0 or an empty spatial extent) is no error: nothing is written.
struct NormDesc {
  Op op = Op::group_norm;
  /// N, C, spatial...; rank >= 2. Contiguous tensors, any extent >= 0 (C >= 1). A tensor of the
  /// extents that are not 0 has fewer than 2^63 bytes.
  Extents extents{};
  std::int64_t groups = 0;  ///< group_norm: divides C. instance_norm: 0 or C.
  /// Added to the variance; finite, >= 0. Kept in the accumulation type or better (fp32: what is
  /// below 1e-45 may count as 0).
  double eps = 1e-5;
  DType x_type = DType::f32;
  DType y_type = DType::f32;
  DType affine_type = DType::f32;  ///< Of gamma and beta.
  Layout layout = Layout::channels_first;
};

/// The tensors of one call. The caller owns them all and keeps them alive until the work is done.
/// All lie in the plan's memory space. y may be x itself (in place); apart from that, no output may
/// overlap another tensor. Pointers are aligned to their element size at least.
struct NormArgs {
  const void* x = nullptr;      ///< Input, as NormDesc::extents says. Null only where it is empty.
  void* y = nullptr;            ///< Output, same shape.
  const void* gamma = nullptr;  ///< [C], or null for 1.
  const void* beta = nullptr;   ///< [C], or null for 0.
  void* mean = nullptr;         ///< Optional output [N, groups], fp32 (accumulation type).
  void* rstd = nullptr;         ///< Optional output [N, groups], fp32 (accumulation type).
};

}  // namespace fastnorm
