// SPDX-License-Identifier: Apache-2.0
/// One call for the simple case. Plans are cached by descriptor, so a repeated call costs a hash
/// lookup, the pointer checks and the launch.
#pragma once

#include <fastnorm/export.hpp>
#include <fastnorm/norm_desc.hpp>
#include <fastnorm/plan.hpp>
#include <fastnorm/status.hpp>

#include <cstddef>
#include <cstdint>

namespace fastnorm {

/// A tensor to write, with its element type; null where there is none. float* and double* convert
/// by themselves, as_f16() and as_bf16() say what other pointers lead to.
struct Data {
  constexpr Data() noexcept = default;
  constexpr Data(std::nullptr_t) noexcept {}                // NOLINT: implicit on purpose
  constexpr Data(float* values) noexcept : data(values) {}  // NOLINT: likewise
  constexpr Data(double* values) noexcept                   // NOLINT: likewise
      : data(values), type(DType::f64) {}
  constexpr Data(void* values, DType type_of_values) noexcept
      : data(values), type(type_of_values) {}

  void* data = nullptr;
  DType type = DType::f32;
};

/// The same of a tensor that is only read.
struct ConstData {
  constexpr ConstData() noexcept = default;
  constexpr ConstData(std::nullptr_t) noexcept {}  // NOLINT: implicit on purpose
  constexpr ConstData(const float* values) noexcept : data(values) {}  // NOLINT: likewise
  constexpr ConstData(const double* values) noexcept                   // NOLINT: likewise
      : data(values), type(DType::f64) {}
  constexpr ConstData(Data values) noexcept  // NOLINT: likewise
      : data(values.data), type(values.type) {}
  constexpr ConstData(const void* values, DType type_of_values) noexcept
      : data(values), type(type_of_values) {}

  const void* data = nullptr;
  DType type = DType::f32;
};

/// IEEE half precision (CUDA's __half), and bfloat16 (__nv_bfloat16): no header of CUDA is needed.
constexpr Data as_f16(void* values) noexcept { return {values, DType::f16}; }
constexpr ConstData as_f16(const void* values) noexcept { return {values, DType::f16}; }
constexpr Data as_bf16(void* values) noexcept { return {values, DType::bf16}; }
constexpr ConstData as_bf16(const void* values) noexcept { return {values, DType::bf16}; }

/// What most callers leave alone. Rows, samples and channels are those of NormArgs.
struct NormOptions {
  double eps = 1e-5;
  /// Where x and y have their elements, as NormDesc states it. The residual and the sum lie as x.
  Layout layout = Layout::channels_first;
  Strides x_strides{};
  Strides y_strides{};
  Data mean{};  ///< Optional output, one a row, fp32 (fp64 for fp64 x). Not for rms_norm.
  Data rstd{};  ///< The same.
  /// Added to x before the normalisation; of x's shape and type.
  ConstData residual{};
  Data sum{};  ///< Optional output x + residual, of x's type.
  /// How the two are added; without a residual it does not matter.
  Residual residual_sum = Residual::rounded_sum;
  /// Activation and the forms of gamma and the normalised value. Its modulation follows from scale
  /// and shift.
  Epilogue epilogue{};
  ConstData scale{};  ///< [samples, channels], of gamma's type: v (1 + scale) + shift.
  ConstData shift{};  ///< The same.
  Stream stream{};
  PlanOptions plan{};
};

/// Group normalization: y = GroupNorm(x) as NormDesc states it, with statistics over each of
/// `groups` equal parts of the C channels.
///
/// `extents` is N, C, spatial...; x and y hold their product, contiguous and channels-first unless
/// the options say otherwise, gamma and beta [C] each or null. Types are as NormDesc offers them;
/// gamma, beta, scale and shift have one between them.
///
/// Pointers may be device, managed, pinned or (back end for the host) plain memory; with
/// MemorySpace::automatic the work runs on the device if x or y is device or managed memory, else
/// on the host if this build has a host back end and can access all of them. On a device the work
/// is enqueued on `options.stream` and the call returns at once; the library owns the workspace,
/// one per device and stream, and one more, kept until the process ends, for each graph capture
/// that a call takes part in (Plan::execute takes the caller's instead). On the host the call
/// returns when y is written.
///
/// Errors: those of Plan::create and Plan::execute, and invalid_argument for tensors whose types do
/// not go together and for a pointer that the device cannot access. On error nothing is launched
/// and nothing written.
FASTNORM_API Status group_norm(const Extents& extents, std::int64_t groups, ConstData x, Data y,
                               ConstData gamma = {}, ConstData beta = {},
                               const NormOptions& options = {});

/// Instance normalization: the same with every channel a group of its own.
FASTNORM_API Status instance_norm(const Extents& extents, ConstData x, Data y, ConstData gamma = {},
                                  ConstData beta = {}, const NormOptions& options = {});

/// Layer normalization: statistics over the last `normalized_rank` of any extents. gamma and beta
/// hold the product of those, or are null.
FASTNORM_API Status layer_norm(const Extents& extents, int normalized_rank, ConstData x, Data y,
                               ConstData gamma = {}, ConstData beta = {},
                               const NormOptions& options = {});

/// The same without mean and beta: y = x / sqrt(mean of x^2 + eps) * gamma.
FASTNORM_API Status rms_norm(const Extents& extents, int normalized_rank, ConstData x, Data y,
                             ConstData gamma = {}, const NormOptions& options = {});

/// Any descriptor: what the functions above call.
FASTNORM_API Status normalize(const NormDesc& desc, const NormArgs& args, Stream stream = {},
                              const PlanOptions& options = {});

}  // namespace fastnorm
