// SPDX-License-Identifier: Apache-2.0
/// From h to y, once the row's statistics are known. The one place where every strategy's output is
/// formed; what costs no bandwidth is a uniform branch here, not a template parameter.
#pragma once

#include "backends/cuda/device/activation.cuh"
#include "backends/cuda/device/affine_values.cuh"
#include "backends/cuda/device/channel_values.cuh"
#include "backends/cuda/device/moments.cuh"
#include "backends/cuda/device/row_params.hpp"
#include "backends/cuda/device/standardizer.cuh"

#include <cstdint>

namespace fastnorm::cuda {

/// The affine map composed with the row's statistics.
template <class Acc>
struct ComposedAffine {
  Acc scale = 0;
  Acc offset = 0;

  /// Of h, from which the epilogue's origin is subtracted.
  __device__ __forceinline__ Acc apply(Acc h) const { return fma(h, scale, offset); }
};

/// The channels of a run of elements that meets two at most.
template <class Acc>
struct ChannelPair {
  AffineValues<Acc, 1> first{};
  AffineValues<Acc, 1> second{};
  int boundary = 0;  ///< Element of the page that the second begins with.
};

template <class Acc>
struct ComposedPair {
  ComposedAffine<Acc> first{};
  ComposedAffine<Acc> second{};
  int boundary = 0;

  __device__ __forceinline__ ComposedAffine<Acc> select(bool is_first) const {
    return {is_first ? first.scale : second.scale, is_first ? first.offset : second.offset};
  }

  /// The one that a lane of the warp has. All lanes of the warp call it.
  __device__ __forceinline__ ComposedPair from_lane(int lane) const {
    return {from_lane(first, lane), from_lane(second, lane), __shfl_sync(~0u, boundary, lane)};
  }

 private:
  static __device__ __forceinline__ ComposedAffine<Acc> from_lane(const ComposedAffine<Acc>& mine,
                                                                  int lane) {
    return {__shfl_sync(~0u, mine.scale, lane), __shfl_sync(~0u, mine.offset, lane)};
  }
};

/// How the affine maps of neighbouring channels are formed, for loops that decide it once a row:
/// from gamma, beta, scale and shift of type From.
template <class From, NormalisedRounding kRounding, Modulation kModulation>
struct NeighbourForm {
  using Element = From;
  static constexpr NormalisedRounding rounding = kRounding;
  static constexpr Modulation modulation = kModulation;
};

/// Calls `function` with the NeighbourForm that `params` ask for. (Not of a modulation of rounded
/// values, which no model has.)
template <class T, class Function>
__device__ __forceinline__ void with_neighbour_form(const RowParams& params, Function&& function) {
  const auto with_type = [&](auto tag) {
    using From = typename decltype(tag)::type;
    if (params.epilogue.modulation == Modulation::scale_shift) {
      return function(NeighbourForm<From, NormalisedRounding::none, Modulation::scale_shift>{});
    }
    // Rounding an fp32 value to fp32 changes nothing.
    if constexpr (sizeof(From) == 2) {
      if (params.epilogue.normalised == NormalisedRounding::affine_type) {
        return function(NeighbourForm<From, NormalisedRounding::affine_type, Modulation::none>{});
      }
    }
    function(NeighbourForm<From, NormalisedRounding::none, Modulation::none>{});
  };
  if (params.affine_type == DType::f32) {
    with_type(ElementTag<float>{});
  } else {
    with_type(ElementTag<T>{});
  }
}

/// One instruction, which is not merged with the product of a path that needs all 64 bits.
__device__ __forceinline__ std::int64_t wide_product(std::uint32_t a, std::uint32_t b) {
  std::int64_t product;
  asm("mul.wide.u32 %0, %1, %2;" : "=l"(product) : "r"(a), "r"(b));
  return product;
}

/// Where the elements of one page of a row have their channels: elements are numbered from
/// `page_begin`.
template <class T, RowForm kForm = RowForm::fused>
class RowChannels {
 public:
  using Acc = Accumulator<T>;

  __device__ __forceinline__ RowChannels(const RowParams& params, std::int64_t row,
                                         std::int64_t page_begin)
      : params_(params), channels_left_(params.geometry.channels_per_row) {
    const RowGeometry& geometry = params.geometry;
    if (geometry.row_period > 1) first_channel_ = first_channel_of(row);
    if (page_begin > 0) {
      const std::int64_t channels = page_begin / geometry.inner;
      first_channel_ += channels;
      channels_left_ -= channels;
      into_channel_ = page_begin - channels * geometry.inner;
    }
    if (is_modulated()) {
      const std::int64_t sample =
          geometry.row_quotient(row, geometry.by_rows_per_sample, geometry.rows_per_sample);
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

  /// Of kVec neighbouring channels, the first with this index from the page's first one on.
  template <int kVec>
  __device__ __forceinline__ AffineValues<Acc, kVec> of_neighbours(std::int64_t channel) const {
    return affine_of_channels<T, kForm, kVec>(params_, first_channel_ + channel,
                                              first_modulation_ + channel);
  }

  /// Where each element has a channel of its own: that of element i, in gamma and beta.
  __device__ __forceinline__ std::int64_t channel_at(int i) const {
    return first_channel_ + into_channel_ + i;
  }

  /// Whether each element has a channel of its own, whose gamma and beta are of type T and all that
  /// its affine map consists of.
  __device__ __forceinline__ bool may_be_neighbours() const {
    const bool plain =
        kForm == RowForm::plain || (params_.epilogue.normalised == NormalisedRounding::none &&
                                    params_.epilogue.gamma == GammaForm::factor &&
                                    params_.epilogue.modulation == Modulation::none);
    return plain && params_.geometry.inner == 1 && params_.tensors.gamma != nullptr &&
           params_.affine_type == dtype_of<T>;
  }

  /// And whether gamma and beta can be read 16 bytes at a time from element i on.
  __device__ __forceinline__ bool are_aligned(int i) const {
    return is_whole<T>(params_.tensors.gamma, channel_at(i)) &&
           is_whole<T>(params_.tensors.beta, channel_at(i));
  }

  __device__ __forceinline__ bool are_neighbours(int i) const {
    return may_be_neighbours() && are_aligned(i);
  }

  /// Whether each element has a channel of its own, in one of the NeighbourForms, and whatever its
  /// affine map consists of can be read 16 bytes at a time from element i on.
  __device__ __forceinline__ bool have_whole_accesses(int i) const {
    const Epilogue& epilogue = params_.epilogue;
    if (params_.geometry.inner != 1 || std::is_same_v<T, double> ||
        (epilogue.normalised != NormalisedRounding::none && is_modulated())) {
      return false;
    }
    return params_.affine_type == DType::f32 ? are_whole<float>(i) : are_whole<T>(i);
  }

  /// The affine maps of kVec elements that have whole accesses.
  template <class Form, int kVec>
  __device__ __forceinline__ AffineValues<Acc, kVec> own_affine(int i) const {
    using From = typename Form::Element;
    static_assert(kVec * sizeof(From) % 16 == 0, "one vector's alignment is every other's");
    const NormArgs& tensors = params_.tensors;
    AffineValues<Acc, kVec> affine;
    whole_channel_values<From>(tensors.gamma, channel_at(i), Acc{1}, affine.factor);
    whole_channel_values<From>(tensors.beta, channel_at(i), Acc{0}, affine.offset);
    centre<kForm>(params_, affine.factor);
    if constexpr (Form::modulation == Modulation::scale_shift) {
      Acc scale[kVec];
      Acc shift[kVec];
      whole_channel_values<From>(tensors.scale, modulation_at(i), Acc{0}, scale);
      whole_channel_values<From>(tensors.shift, modulation_at(i), Acc{0}, shift);
      modulate(affine, scale, shift);
    }
    return affine;
  }

  /// The modulation of an element, into the L2: unlike gamma and beta, it may be new there.
  __device__ __forceinline__ void prefetch_modulation(int i) const {
    if (params_.affine_type == DType::f32) {
      prefetch<float>(params_.tensors.scale, modulation_at(i));
      prefetch<float>(params_.tensors.shift, modulation_at(i));
    } else {
      prefetch<T>(params_.tensors.scale, modulation_at(i));
      prefetch<T>(params_.tensors.shift, modulation_at(i));
    }
  }

  /// Whether runs of `length` elements can be mapped by a pair of composed maps: they meet two
  /// channels at most, and nothing is rounded before the map.
  __device__ __forceinline__ bool pairs_serve(int length) const {
    if (kForm == RowForm::fused && params_.epilogue.normalised != NormalisedRounding::none) {
      return false;
    }
    return params_.geometry.inner >= length || are_alike();
  }

  /// Those of a run that begins with element i.
  __device__ __forceinline__ ChannelPair<Acc> pair_from(int i) const {
    if (are_alike()) {
      const AffineValues<Acc, 1> identity{{Acc{1}}, {Acc{0}}};
      return {identity, identity, i + static_cast<int>(page_len)};
    }
    const Channel channel = channel_of(i);
    const bool last = channel.index + 1 == channels_left_;
    ChannelPair<Acc> pair;
    pair.first = of_neighbours<1>(channel.index);
    pair.second = of_neighbours<1>(channel.index + (last ? 0 : 1));
    pair.boundary = i + static_cast<int>(channel.left);
    return pair;
  }

  __device__ __forceinline__ const RowParams& params() const { return params_; }

  /// Whether nothing tells one channel from another.
  __device__ __forceinline__ bool are_alike() const {
    return params_.tensors.gamma == nullptr && params_.tensors.beta == nullptr && !is_modulated();
  }

  __device__ __forceinline__ bool is_modulated() const {
    return cuda::is_modulated<kForm>(params_);
  }

 private:
  struct Channel {
    std::uint32_t index;  ///< From the page's first channel on.
    std::uint32_t left;   ///< Elements from i on that share the channel; or more than a vector has.
  };

  /// Where each element has a channel of its own: that of element i, in scale and shift.
  __device__ __forceinline__ std::int64_t modulation_at(int i) const {
    return first_modulation_ + into_channel_ + i;
  }

  template <class From>
  static __device__ __forceinline__ bool is_whole(const void* tensor, std::int64_t at) {
    return tensor == nullptr ||
           reinterpret_cast<std::uintptr_t>(static_cast<const From*>(tensor) + at) % 16 == 0;
  }

  template <class From>
  __device__ __forceinline__ bool are_whole(int i) const {
    const NormArgs& tensors = params_.tensors;
    const bool affine =
        is_whole<From>(tensors.gamma, channel_at(i)) && is_whole<From>(tensors.beta, channel_at(i));
    return affine && (!is_modulated() || (is_whole<From>(tensors.scale, modulation_at(i)) &&
                                          is_whole<From>(tensors.shift, modulation_at(i))));
  }

  __device__ __forceinline__ std::int64_t first_channel_of(std::int64_t row) const {
    const RowGeometry& geometry = params_.geometry;
    if (geometry.narrow_rows) {
      const auto narrow = static_cast<std::uint32_t>(row);
      const std::uint32_t of_period =
          narrow - geometry.by_row_period.quotient(narrow) * geometry.by_row_period.divisor();
      return wide_product(of_period, static_cast<std::uint32_t>(geometry.channels_per_row));
    }
    return row % geometry.row_period * geometry.channels_per_row;
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

  const RowParams& params_;
  std::int64_t channels_left_;  ///< Of the row, from the page's first one on.
  std::int64_t first_channel_ = 0;
  std::int64_t into_channel_ = 0;
  std::int64_t first_modulation_ = 0;
};

template <class T, RowForm kForm = RowForm::fused>
class RowEpilogue {
 public:
  using Acc = Accumulator<T>;

  __device__ __forceinline__ RowEpilogue(const RowChannels<T, kForm>& channels,
                                         const RowStatistics<Acc>& statistics)
      : channels_(channels),
        standardizer_(statistics, most_ordinary_mean<T, kForm>(channels.params())) {}

  __device__ __forceinline__ RowEpilogue(const RowParams& params, std::int64_t row,
                                         std::int64_t page_begin,
                                         const RowStatistics<Acc>& statistics)
      : RowEpilogue(RowChannels<T, kForm>(params, row, page_begin), statistics) {}

  __device__ __forceinline__ const RowChannels<T, kForm>& channels() const { return channels_; }

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

  /// Whether nothing needs to be subtracted from h before it is multiplied: the origin is 0. Of
  /// almost every row.
  __device__ __forceinline__ bool is_ordinary() const { return standardizer_.is_ordinary; }

  /// What is to be subtracted from h first: 0 or the mean. What the mean's rounding leaves is as
  /// small as a rounding of x, and may be part of a sum.
  __device__ __forceinline__ Acc origin() const { return standardizer_.origin; }

  /// The same as apply() of an ordinary row's elements in one of the NeighbourForms.
  template <class Form, int kVec>
  __device__ __forceinline__ void apply_ordinary(const AffineValues<Acc, kVec>& affine,
                                                 Acc (&values)[kVec]) const {
    Acc normalised[kVec];
#pragma unroll
    for (int k = 0; k < kVec; ++k) normalised[k] = normalise_ordinary(values[k]);
    if constexpr (Form::rounding == NormalisedRounding::affine_type) {
      // In pairs, which take one instruction where single conversions are slow.
      unpack(pack<typename Form::Element>(normalised), normalised);
    }
#pragma unroll
    for (int k = 0; k < kVec; ++k) {
      values[k] = fma(normalised[k], affine.factor[k], affine.offset[k]);
    }
  }

  /// (h - mean) * rstd, of any row's.
  __device__ __forceinline__ Acc normalise(Acc h) const {
    return fma(h - standardizer_.origin, standardizer_.rstd, standardizer_.shift);
  }

  /// The same of an ordinary row's.
  __device__ __forceinline__ Acc normalise_ordinary(Acc h) const {
    return fma(h, standardizer_.rstd, standardizer_.shift);
  }

  /// Where nothing is rounded before the affine map.
  __device__ __forceinline__ ComposedPair<Acc> compose(const ChannelPair<Acc>& pair) const {
    return {compose(pair.first), compose(pair.second), pair.boundary};
  }

 private:
  /// Values `first`, `first` + 1...
  template <int kPiece, int kVec>
  __device__ __forceinline__ void map(const AffineValues<Acc, kPiece>& affine, Acc (&values)[kVec],
                                      int first) const {
    Acc normalised[kPiece];
#pragma unroll
    for (int k = 0; k < kPiece; ++k) normalised[k] = normalise(values[first + k]);
    const RowParams& params = channels_.params();
    if (kForm == RowForm::fused && params.epilogue.normalised == NormalisedRounding::affine_type) {
#pragma unroll
      for (int k = 0; k < kPiece; ++k) normalised[k] = rounded(normalised[k], params.affine_type);
    }
#pragma unroll
    for (int k = 0; k < kPiece; ++k) {
      values[first + k] = fma(normalised[k], affine.factor[k], affine.offset[k]);
    }
  }

  __device__ __forceinline__ ComposedAffine<Acc> compose(const AffineValues<Acc, 1>& affine) const {
    return {standardizer_.rstd * affine.factor[0],
            fma(standardizer_.shift, affine.factor[0], affine.offset[0])};
  }

  const RowChannels<T, kForm> channels_;
  const Standardizer<Acc> standardizer_;
};

}  // namespace fastnorm::cuda
