/// From x to y, once the row's statistics are known. The one place where every strategy's output is
/// formed; what costs no bandwidth is a uniform branch here, not a template parameter.
#pragma once

#include "backends/cuda/device/moments.cuh"
#include "backends/cuda/device/row_params.hpp"

#include <cstdint>

namespace fastnorm::cuda {

/// For one page of a row: elements are numbered from `page_begin`.
template <class T>
class Epilogue {
 public:
  __device__ __forceinline__ Epilogue(const RowParams<T>& params, std::int64_t row,
                                      std::int64_t page_begin, const RowStatistics& statistics)
      : params_(params), statistics_(statistics) {
    const RowGeometry& geometry = params.geometry;
    first_channel_ = row % geometry.row_period * geometry.channels_per_row;
    if (page_begin > 0) {
      first_channel_ += page_begin / geometry.inner;
      into_channel_ = page_begin % geometry.inner;
    }
  }

  /// kVec consecutive elements of the page, the first with index i.
  template <int kVec>
  __device__ __forceinline__ void apply(int i, float (&values)[kVec]) const {
    const Channel channel = channel_of(i);
    if (kVec == 1 || channel.left >= kVec) {
      const Affine affine = affine_of(channel.index);
#pragma unroll
      for (int k = 0; k < kVec; ++k) values[k] = normalise(values[k], affine);
    } else {
#pragma unroll
      for (int k = 0; k < kVec; ++k) {
        values[k] = normalise(values[k], affine_of(channel_of(i + k).index));
      }
    }
  }

 private:
  struct Channel {
    std::uint32_t index;  ///< From the page's first channel on.
    std::int64_t left;    ///< Elements from i on that share the channel.
  };
  struct Affine {
    float scale;
    float offset;
  };

  __device__ __forceinline__ Channel channel_of(int i) const {
    const RowGeometry& geometry = params_.geometry;
    if (geometry.narrow_inner) {
      // Below inner + page_len, so that 31 bits suffice.
      const std::uint32_t element =
          static_cast<std::uint32_t>(into_channel_) + static_cast<std::uint32_t>(i);
      const std::uint32_t index = geometry.by_inner.quotient(element);
      return {index, (index + 1) * geometry.by_inner.divisor() - element};
    }
    // Channels at least as long as a page: it meets two at most.
    const std::int64_t element = into_channel_ + i;
    const std::uint32_t index = element >= geometry.inner ? 1 : 0;
    return {index, (index + 1) * geometry.inner - element};
  }

  __device__ __forceinline__ Affine affine_of(std::uint32_t channel) const {
    const std::int64_t c = first_channel_ + channel;
    Affine affine;
    affine.scale = statistics_.rstd;
    if (params_.gamma != nullptr) affine.scale *= static_cast<float>(__ldg(params_.gamma + c));
    affine.offset = params_.beta != nullptr ? static_cast<float>(__ldg(params_.beta + c)) : 0.0f;
    // What the rounded mean leaves is as small as a rounding of x: it may go into the offset,
    // whereas the mean itself must not (a large gamma would cancel).
    affine.offset = fmaf(-statistics_.mean_residual, affine.scale, affine.offset);
    return affine;
  }

  __device__ __forceinline__ float normalise(float x, const Affine& affine) const {
    return fmaf(x - statistics_.mean, affine.scale, affine.offset);
  }

  const RowParams<T>& params_;
  const RowStatistics statistics_;
  std::int64_t first_channel_ = 0;
  std::int64_t into_channel_ = 0;
};

}  // namespace fastnorm::cuda
