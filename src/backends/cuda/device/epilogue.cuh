/// From h to y, once the row's statistics are known. The one place where every strategy's output is
/// formed; what costs no bandwidth is a uniform branch here, not a template parameter.
#pragma once

#include "backends/cuda/device/activation.cuh"
#include "backends/cuda/device/channel_values.cuh"
#include "backends/cuda/device/moments.cuh"
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

/// What the tensors hold of kVec channels, as it was read: nothing waits for it yet.
template <class Acc, int kVec>
struct ChannelValues {
  Acc gamma[kVec];
  Acc beta[kVec];
  Acc scale[kVec];
  Acc shift[kVec];
};

/// The channels of a run of elements that meets two at most.
template <class Acc>
struct ChannelPair {
  ChannelValues<Acc, 1> first;
  ChannelValues<Acc, 1> second;
  int boundary;  ///< Element of the page that the second begins with.
};

/// The affine map composed with the row's statistics.
template <class Acc>
struct ComposedAffine {
  Acc scale;
  Acc offset;

  __device__ __forceinline__ Acc apply(Acc h, Acc mean) const {
    return fma(h - mean, scale, offset);
  }
};

/// Where the elements of one page of a row have their channels: elements are numbered from
/// `page_begin`.
template <class T>
class RowChannels {
 public:
  using Acc = Accumulator<T>;

  __device__ __forceinline__ RowChannels(const RowParams& params, std::int64_t row,
                                         std::int64_t page_begin)
      : params_(params) {
    const RowGeometry& geometry = params.geometry;
    if (geometry.row_period > 1) {
      const std::int64_t periods = row_quotient(row, geometry.by_row_period, geometry.row_period);
      first_channel_ = (row - periods * geometry.row_period) * geometry.channels_per_row;
    }
    if (page_begin > 0) {
      const std::int64_t channels = page_begin / geometry.inner;
      first_channel_ += channels;
      into_channel_ = page_begin - channels * geometry.inner;
    }
    if (params.epilogue.modulation == Modulation::scale_shift) {
      const std::int64_t sample =
          row_quotient(row, geometry.by_rows_per_sample, geometry.rows_per_sample);
      first_modulation_ =
          sample * (geometry.row_period * geometry.channels_per_row) + first_channel_;
    }
  }

  /// Of kVec consecutive elements of the page, the first with index i. They meet two channels at
  /// most, or each has its own (inner is 1, or kVec - 1 at least).
  template <int kVec>
  __device__ __forceinline__ AffineValues<Acc, kVec> affine(int i) const {
    if (kVec > 1 && params_.geometry.inner == 1) return of_neighbours<kVec>(into_channel_ + i);
    const Channel channel = channel_of(i);
    const AffineValues<Acc, 1> first = of_neighbours<1>(channel.index);
    AffineValues<Acc, 1> second = first;
    if (kVec > 1 && channel.left < kVec) second = of_neighbours<1>(channel.index + 1);
    AffineValues<Acc, kVec> affine;
#pragma unroll
    for (int k = 0; k < kVec; ++k) {
      affine.factor[k] = k < channel.left ? first.factor[0] : second.factor[0];
      affine.offset[k] = k < channel.left ? first.offset[0] : second.offset[0];
    }
    return affine;
  }

  /// Whether `length` consecutive elements always meet two channels at most.
  __device__ __forceinline__ bool two_hold(int length) const {
    return params_.geometry.inner >= length;
  }

  /// Those of a run that begins with element i.
  __device__ __forceinline__ ChannelPair<Acc> pair_from(int i) const {
    const Channel channel = channel_of(i);
    const bool last = channel.index + 1 == params_.geometry.channels_per_row;
    return {read<1>(channel.index), read<1>(channel.index + (last ? 0 : 1)),
            i + static_cast<int>(channel.left)};
  }

  /// What the epilogue needs of them.
  template <int kVec>
  __device__ __forceinline__ AffineValues<Acc, kVec> settle(
      const ChannelValues<Acc, kVec>& values) const {
    AffineValues<Acc, kVec> affine;
#pragma unroll
    for (int k = 0; k < kVec; ++k) {
      affine.factor[k] = values.gamma[k];
      affine.offset[k] = values.beta[k];
    }
    if (params_.tensors.gamma != nullptr && params_.epilogue.gamma == GammaForm::centred_zero) {
#pragma unroll
      for (int k = 0; k < kVec; ++k) affine.factor[k] += 1;
    }
    if (params_.epilogue.modulation == Modulation::scale_shift) {
#pragma unroll
      for (int k = 0; k < kVec; ++k) {
        affine.factor[k] = fma(affine.factor[k], values.scale[k], affine.factor[k]);
        affine.offset[k] =
            fma(affine.offset[k], values.scale[k], affine.offset[k]) + values.shift[k];
      }
    }
    return affine;
  }

  __device__ __forceinline__ const RowParams& params() const { return params_; }

 private:
  struct Channel {
    std::uint32_t index;  ///< From the page's first channel on.
    std::uint32_t left;   ///< Elements from i on that share the channel; or more than a vector has.
  };

  /// A division of 64 bits takes longer than a short row.
  __device__ __forceinline__ std::int64_t row_quotient(std::int64_t row, const FastDivide& fast,
                                                       std::int64_t divisor) const {
    if (params_.geometry.narrow_rows) return fast.quotient(static_cast<std::uint32_t>(row));
    return row / divisor;
  }

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
    const std::int64_t left = (index + 1) * geometry.inner - element;
    return {index, static_cast<std::uint32_t>(left < page_len ? left : page_len)};
  }

  /// Of kVec neighbouring channels.
  template <int kVec>
  __device__ __forceinline__ ChannelValues<Acc, kVec> read(std::int64_t channel) const {
    const NormArgs& tensors = params_.tensors;
    const DType type = params_.affine_type;
    ChannelValues<Acc, kVec> values{};
    channel_values<T>(tensors.gamma, type, first_channel_ + channel, Acc{1}, values.gamma);
    channel_values<T>(tensors.beta, type, first_channel_ + channel, Acc{0}, values.beta);
    if (params_.epilogue.modulation == Modulation::scale_shift) {
      channel_values<T>(tensors.scale, type, first_modulation_ + channel, Acc{0}, values.scale);
      channel_values<T>(tensors.shift, type, first_modulation_ + channel, Acc{0}, values.shift);
    }
    return values;
  }

  template <int kVec>
  __device__ __forceinline__ AffineValues<Acc, kVec> of_neighbours(std::int64_t channel) const {
    return settle(read<kVec>(channel));
  }

  const RowParams& params_;
  std::int64_t first_channel_ = 0;
  std::int64_t into_channel_ = 0;
  std::int64_t first_modulation_ = 0;
};

template <class T>
class RowEpilogue {
 public:
  using Acc = Accumulator<T>;

  __device__ __forceinline__ RowEpilogue(const RowChannels<T>& channels,
                                         const RowStatistics<Acc>& statistics)
      : channels_(channels), statistics_(statistics) {}

  __device__ __forceinline__ RowEpilogue(const RowParams& params, std::int64_t row,
                                         std::int64_t page_begin,
                                         const RowStatistics<Acc>& statistics)
      : RowEpilogue(RowChannels<T>(params, row, page_begin), statistics) {}

  __device__ __forceinline__ const RowChannels<T>& channels() const { return channels_; }

  /// kVec consecutive elements of the page, the first with index i: h becomes what row_output.cuh
  /// activates.
  template <int kVec>
  __device__ __forceinline__ void apply(int i, Acc (&values)[kVec]) const {
    // Four at a time: the factors and offsets of eight would take too many registers.
    constexpr int kPiece = kVec < 4 ? kVec : 4;
#pragma unroll
    for (int piece = 0; piece < kVec; piece += kPiece) {
      map(channels_.template affine<kPiece>(i + piece), values, piece);
    }
  }

  /// The same with their affine map.
  template <int kVec>
  __device__ __forceinline__ void apply(const AffineValues<Acc, kVec>& affine,
                                        Acc (&values)[kVec]) const {
    map(affine, values, 0);
  }

  __device__ __forceinline__ Acc mean() const { return statistics_.mean; }

  /// Where nothing is rounded before the affine map.
  __device__ __forceinline__ ComposedAffine<Acc> compose(Acc factor, Acc offset) const {
    const Acc scale = statistics_.rstd * factor;
    // What the rounded mean leaves is as small as a rounding of x: it may go into the offset,
    // whereas the mean itself must not (a large gamma would cancel).
    return {scale, fma(-statistics_.mean_residual, scale, offset)};
  }

 private:
  /// Values `first`, `first` + 1...
  template <int kPiece, int kVec>
  __device__ __forceinline__ void map(const AffineValues<Acc, kPiece>& affine, Acc (&values)[kVec],
                                      int first) const {
    const RowParams& params = channels_.params();
    if (params.epilogue.normalised == NormalisedRounding::none) {
#pragma unroll
      for (int k = 0; k < kPiece; ++k) {
        Acc& value = values[first + k];
        value = compose(affine.factor[k], affine.offset[k]).apply(value, statistics_.mean);
      }
    } else {
#pragma unroll
      for (int k = 0; k < kPiece; ++k) {
        Acc& value = values[first + k];
        value = fma(rounded_normalised(value, params), affine.factor[k], affine.offset[k]);
      }
    }
  }

  __device__ __forceinline__ Acc rounded_normalised(Acc h, const RowParams& params) const {
    const Acc exact = ((h - statistics_.mean) - statistics_.mean_residual) * statistics_.rstd;
    if (params.affine_type == DType::f16) {
      return from_element(__float2half_rn(static_cast<float>(exact)));
    }
    if (params.affine_type == DType::bf16) {
      return from_element(__float2bfloat16_rn(static_cast<float>(exact)));
    }
    if (params.affine_type == DType::f32) return static_cast<float>(exact);
    return exact;
  }

  const RowChannels<T> channels_;
  const RowStatistics<Acc> statistics_;
};

}  // namespace fastnorm::cuda
