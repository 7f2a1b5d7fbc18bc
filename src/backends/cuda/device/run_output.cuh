/// The output of a run of many vectors: what they share is looked up once, and each decision of the
/// epilogue is taken once for several of them. Few warps write, and a branch costs them as much as
/// ten other instructions.
#pragma once

#include "backends/cuda/device/activation.cuh"
#include "backends/cuda/device/epilogue.cuh"
#include "backends/cuda/device/row_output.cuh"

#include <cstdint>

namespace fastnorm::cuda {

/// Vectors of a thread, `step` vectors apart.
struct RunTile {
  std::int64_t at;  ///< The first one's first element in the tensor,
  int index;        ///< and in the page.
  int step;
};

/// The channels of elements [first, first + length) of a page: two serve all of them where channels
/// are longer than the run. Needs no statistics, so it may be had before they are there.
template <class T>
struct RunChannels {
  bool paired = false;
  ChannelPair<Accumulator<T>> pair;

  __device__ __forceinline__ RunChannels(const RowChannels<T>& row, int first, int length)
      : paired(row.two_hold(length)) {
    if (paired) pair = row.pair_from(first);
  }

  /// Those that a lane of the warp has. All lanes of the warp call it.
  __device__ __forceinline__ RunChannels from_lane(int lane) const {
    RunChannels there = *this;
    if (!paired) return there;
    there.pair.first = values_from(pair.first, lane);
    there.pair.second = values_from(pair.second, lane);
    there.pair.boundary = __shfl_sync(~0u, pair.boundary, lane);
    return there;
  }

 private:
  using Values = ChannelValues<Accumulator<T>, 1>;

  static __device__ __forceinline__ Values values_from(const Values& mine, int lane) {
    return {{__shfl_sync(~0u, mine.gamma[0], lane)},
            {__shfl_sync(~0u, mine.beta[0], lane)},
            {__shfl_sync(~0u, mine.scale[0], lane)},
            {__shfl_sync(~0u, mine.shift[0], lane)}};
  }
};

template <class T>
class RunOutput {
 public:
  using Acc = Accumulator<T>;

  __device__ __forceinline__ RunOutput(const RowParams& params, const RowEpilogue<T>& epilogue,
                                       const RunChannels<T>& channels)
      : params_(params),
        epilogue_(epilogue),
        paired_(channels.paired && params.epilogue.normalised == NormalisedRounding::none),
        boundary_(channels.pair.boundary) {
    if (!paired_) return;
    const AffineValues<Acc, 1> first = epilogue.channels().settle(channels.pair.first);
    const AffineValues<Acc, 1> second = epilogue.channels().settle(channels.pair.second);
    first_ = epilogue.compose(first.factor[0], first.offset[0]);
    second_ = epilogue.compose(second.factor[0], second.offset[0]);
  }

  /// The values are h.
  template <int kVec, int kTile>
  __device__ __forceinline__ void write(const RunTile& tile, Acc (&values)[kTile * kVec]) const {
    if (params_.tensors.sum != nullptr) {
      for_each_vector<kVec>(tile, values, [&](std::int64_t at, const auto& vector) {
        store(static_cast<T*>(params_.tensors.sum) + at, pack<T>(vector), params_.cache.store);
      });
    }
    if (paired_) {
      map_paired<kVec>(tile, values);
    } else {
      map_singly<kVec>(tile, values);
    }
    if (params_.epilogue.activation != Activation::none) activate(params_.epilogue, values);
    with_output_type<T>(params_.y_type, [&](auto tag) {
      using Out = typename decltype(tag)::type;
      for_each_vector<kVec>(tile, values, [&](std::int64_t at, const auto& vector) {
        store_values(static_cast<Out*>(params_.tensors.y) + at, vector, params_.cache.store);
      });
    });
  }

 private:
  template <int kVec, int kValues, class Function>
  static __device__ __forceinline__ void for_each_vector(const RunTile& tile,
                                                         const Acc (&values)[kValues],
                                                         Function&& function) {
#pragma unroll
    for (int u = 0; u < kValues / kVec; ++u) {
      Acc vector[kVec];
#pragma unroll
      for (int k = 0; k < kVec; ++k) vector[k] = values[u * kVec + k];
      function(tile.at + u * tile.step * kVec, vector);
    }
  }

  template <int kVec, int kValues>
  __device__ __forceinline__ void map_paired(const RunTile& tile, Acc (&values)[kValues]) const {
    const Acc mean = epilogue_.mean();
    bool straddles = false;
#pragma unroll
    for (int u = 0; u < kValues / kVec; ++u) {
      const int index = tile.index + u * tile.step * kVec;
      straddles |= index < boundary_ && index + kVec > boundary_;
    }
    if (!straddles) {
#pragma unroll
      for (int u = 0; u < kValues / kVec; ++u) {
        const bool first = tile.index + u * tile.step * kVec < boundary_;
        const ComposedAffine<Acc> affine{first ? first_.scale : second_.scale,
                                         first ? first_.offset : second_.offset};
#pragma unroll
        for (int k = 0; k < kVec; ++k) {
          values[u * kVec + k] = affine.apply(values[u * kVec + k], mean);
        }
      }
      return;
    }
#pragma unroll
    for (int v = 0; v < kValues; ++v) {
      const bool first = tile.index + v / kVec * tile.step * kVec + v % kVec < boundary_;
      const ComposedAffine<Acc> affine{first ? first_.scale : second_.scale,
                                       first ? first_.offset : second_.offset};
      values[v] = affine.apply(values[v], mean);
    }
  }

  /// Each vector has an affine map of its own. Those of eight values are read before the first is
  /// used; more would take too many registers.
  template <int kVec, int kValues>
  __device__ __forceinline__ void map_singly(const RunTile& tile, Acc (&values)[kValues]) const {
    constexpr int kTogether = kVec < 8 && kValues >= 8 ? 8 / kVec : 1;
#pragma unroll
    for (int first = 0; first < kValues / kVec; first += kTogether) {
      AffineValues<Acc, kVec> affine[kTogether];
#pragma unroll
      for (int u = 0; u < kTogether; ++u) {
        affine[u] =
            epilogue_.channels().template affine<kVec>(tile.index + (first + u) * tile.step * kVec);
      }
#pragma unroll
      for (int u = 0; u < kTogether; ++u) {
        Acc vector[kVec];
#pragma unroll
        for (int k = 0; k < kVec; ++k) vector[k] = values[(first + u) * kVec + k];
        epilogue_.apply(affine[u], vector);
#pragma unroll
        for (int k = 0; k < kVec; ++k) values[(first + u) * kVec + k] = vector[k];
      }
    }
  }

  const RowParams& params_;
  const RowEpilogue<T>& epilogue_;
  const bool paired_;
  const int boundary_;
  ComposedAffine<Acc> first_{};
  ComposedAffine<Acc> second_{};
};

}  // namespace fastnorm::cuda
