// SPDX-License-Identifier: Apache-2.0
/// The vocabulary of a normalization: operations, element types, layouts, extents, streams.
#pragma once

#include <fastnorm/export.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace fastnorm {

enum class Op : std::uint8_t { group_norm, instance_norm, layer_norm, rms_norm };
enum class DType : std::uint8_t { f32, f16, bf16, f64 };

/// Applied to each value after the affine map; NaN passes through all of them.
enum class Activation : std::uint8_t {
  none,
  relu,        ///< max(v, 0)
  leaky_relu,  ///< v < 0 ? slope v : v
  elu,         ///< v < 0 ? alpha (exp(v) - 1) : v
  silu,        ///< v / (1 + exp(-v))
  gelu,        ///< v (1 + erf(v / sqrt(2))) / 2
  gelu_tanh,   ///< v (1 + tanh(sqrt(2 / pi) (v + 0.044715 v^3))) / 2
  tanh,
  hardswish,  ///< v min(max(v + 3, 0), 6) / 6
  clamp,      ///< min(max(v, lower), upper)
};

/// What is normalised: x, or its sum h with a residual.
enum class Residual : std::uint8_t {
  none,
  rounded_sum,  ///< h = x + residual rounded to x's type, as two separate operations would give it.
  exact_sum,    ///< h as the accumulation type has it; only the stored sum is rounded.
};

/// What gamma's tensor holds.
enum class GammaForm : std::uint8_t {
  factor,        ///< gamma itself
  centred_zero,  ///< gamma - 1, as some models store it; 1 + gamma is formed in accumulation type
};

/// Whether (x - mean) * rstd is rounded before the affine map.
enum class NormalisedRounding : std::uint8_t {
  none,
  affine_type,  ///< To gamma's type, as models do that normalise in fp32 and scale in half.
};

/// What a sample's own scale and shift do to the result of the affine map.
enum class Modulation : std::uint8_t {
  none,
  scale_shift,  ///< v (1 + scale[sample, channel]) + shift[sample, channel]
};

/// Channels-first is N,C,spatial... in memory (NCHW, NCDHW); channels-last is N,spatial...,C.
enum class Layout : std::uint8_t { channels_first, channels_last };

/// Where the tensors live. `automatic` asks the pointers (free functions), or prefers a device
/// when there is one (Plan::create, which sees no pointers).
enum class MemorySpace : std::uint8_t { automatic, host, device };

FASTNORM_API const char* to_string(Op op) noexcept;
FASTNORM_API const char* to_string(DType type) noexcept;
FASTNORM_API const char* to_string(Layout layout) noexcept;
FASTNORM_API const char* to_string(Activation activation) noexcept;
FASTNORM_API const char* to_string(Residual residual) noexcept;
FASTNORM_API const char* to_string(GammaForm form) noexcept;
FASTNORM_API const char* to_string(NormalisedRounding rounding) noexcept;
FASTNORM_API const char* to_string(Modulation modulation) noexcept;
FASTNORM_API const char* to_string(MemorySpace space) noexcept;

/// Bytes of one element.
FASTNORM_API std::size_t size_of(DType type) noexcept;

/// A queue of device work: a cudaStream_t handed over as it is, so that callers need no CUDA
/// header. Null is the legacy default stream. Host back ends ignore it: they return when the work
/// is done.
struct Stream {
  void* handle = nullptr;
};

/// A tensor's extents in the logical order (N, C, spatial... for GroupNorm and InstanceNorm),
/// whatever the layout in memory. Held in place, so that building one allocates nothing.
class Extents {
 public:
  static constexpr int max_rank = 16;

  constexpr Extents() noexcept = default;
  constexpr Extents(std::initializer_list<std::int64_t> extents) noexcept {
    for (const std::int64_t extent : extents) push_back(extent);
  }

  /// Appends one more extent. Beyond max_rank only the count goes on, and the plan is refused.
  constexpr void push_back(std::int64_t extent) noexcept {
    if (rank_ < max_rank) values_[rank_] = extent;
    ++rank_;
  }

  constexpr int rank() const noexcept { return rank_; }
  constexpr std::int64_t operator[](int axis) const noexcept { return values_[axis]; }

  friend constexpr bool operator==(const Extents& a, const Extents& b) noexcept {
    if (a.rank_ != b.rank_) return false;
    for (int axis = 0; axis < a.rank_ && axis < max_rank; ++axis) {
      if (a.values_[axis] != b.values_[axis]) return false;
    }
    return true;
  }
  friend constexpr bool operator!=(const Extents& a, const Extents& b) noexcept {
    return !(a == b);
  }

 private:
  std::int64_t values_[max_rank] = {};
  int rank_ = 0;
};

/// How many elements apart neighbours along each extent lie, in the extents' order.
using Strides = Extents;

}  // namespace fastnorm
