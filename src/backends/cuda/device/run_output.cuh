/// The output of many vectors of a row: what they share is looked up once, and each decision of the
/// epilogue is taken once for several of them. Few warps write, and a branch costs them as much as
/// ten other instructions.
#pragma once

#include "backends/cuda/device/activation.cuh"
#include "backends/cuda/device/channel_values.cuh"
#include "backends/cuda/device/epilogue.cuh"
#include "backends/cuda/device/row_output.cuh"

#include <cstdint>

namespace fastnorm::cuda {

/// Of kUnroll vectors, those that are written together: 16 values.
template <int kVec, int kUnroll>
inline constexpr int tile_of = kUnroll* kVec <= 16 ? kUnroll : (kVec <= 16 ? 16 / kVec : 1);

/// Vectors of a thread, `step` vectors apart. Some may lie beyond the run's end, and are not
/// written. Step: an int, or an integral_constant.
template <class Step>
struct RunTile {
  std::int64_t at;  ///< The first one's first element in the tensor,
  int index;        ///< and in the page.
  int left;         ///< Vectors of the run from the first one on.
  Step step;

  __device__ __forceinline__ bool holds(int u) const { return u * step < left; }

  /// Distance of vector u from the first one, or 0 if it is not there.
  __device__ __forceinline__ int distance(int u) const { return holds(u) ? u * step : 0; }
};

template <class T, RowForm kForm>
class RunOutput {
 public:
  using Acc = Accumulator<T>;

  /// For tiles that may lie anywhere.
  __device__ __forceinline__ RunOutput(const RowParams& params,
                                       const RowEpilogue<T, kForm>& epilogue)
      : params_(params),
        epilogue_(epilogue),
        y_hint_(params.cache.store),
        map_(read_as_neighbours(params) ? Map::neighbours : Map::singly) {}

  /// For tiles within the two channels of the pair.
  __device__ __forceinline__ RunOutput(const RowParams& params,
                                       const RowEpilogue<T, kForm>& epilogue,
                                       const ChannelPair<Acc>& pair)
      : params_(params),
        epilogue_(epilogue),
        y_hint_(params.cache.store),
        map_(Map::pair),
        pair_(epilogue.compose(pair)) {}

  /// The values are h, of kVec elements a vector. The first vector is there.
  template <int kVec, class Step, int kValues>
  __device__ __forceinline__ void write(const RunTile<Step>& tile, Acc (&values)[kValues]) const {
    write_sum<kVec>(tile, values);
    if (map_ == Map::pair) {
      map_paired<kVec>(tile, pair_, values);
    } else if (map_ == Map::neighbours && kVec == full_vec<T> && is_aligned(tile.index)) {
      map_neighbours<kVec>(tile, values);
    } else {
      map_singly<kVec>(tile, values);
    }
    activate(params_.epilogue, values);
    write_y<kVec>(tile, values);
  }

  /// The same for whoever knows map and activation. No vector need be there.
  template <int kVec, class Step, class Activate, int kValues>
  __device__ __forceinline__ void write(const RunTile<Step>& tile, const ChannelPair<Acc>& pair,
                                        const Activate& activation, Acc (&values)[kValues]) const {
    write_sum<kVec>(tile, values);
    map_paired<kVec>(tile, epilogue_.compose(pair), values);
#pragma unroll
    for (int v = 0; v < kValues; ++v) values[v] = activation(values[v]);
    write_y<kVec>(tile, values);
  }

 private:
  /// How the vectors' affine maps are found.
  enum class Map {
    pair,        ///< Two for all of them.
    neighbours,  ///< One an element, gamma and beta as they lie in memory.
    singly,      ///< Any other.
  };

  /// Whether vectors of gamma and beta are what vectors of x are multiplied by and added to.
  static __device__ __forceinline__ bool read_as_neighbours(const RowParams& params) {
    const bool plain =
        kForm == RowForm::plain || (params.epilogue.normalised == NormalisedRounding::none &&
                                    params.epilogue.gamma == GammaForm::factor &&
                                    params.epilogue.modulation == Modulation::none);
    return plain && params.geometry.inner == 1 && params.tensors.gamma != nullptr &&
           params.affine_type == dtype_of<T>;
  }

  __device__ __forceinline__ const T* gamma_at(int index) const {
    return static_cast<const T*>(params_.tensors.gamma) + epilogue_.channels().channel_at(index);
  }
  __device__ __forceinline__ const T* beta_at(int index) const {
    return static_cast<const T*>(params_.tensors.beta) + epilogue_.channels().channel_at(index);
  }

  /// Whether gamma and beta can be read as the vectors are.
  __device__ __forceinline__ bool is_aligned(int index) const {
    const auto gamma = reinterpret_cast<std::uintptr_t>(gamma_at(index));
    const auto beta = reinterpret_cast<std::uintptr_t>(
        params_.tensors.beta == nullptr ? gamma_at(index) : beta_at(index));
    return (gamma | beta) % 16 == 0;
  }

  /// Calls function(element of the tensor, values) for each vector that is there.
  template <int kVec, class Step, int kValues, class Function>
  static __device__ __forceinline__ void for_each_vector(const RunTile<Step>& tile,
                                                         const Acc (&values)[kValues],
                                                         Function&& function) {
    constexpr int kTile = kValues / kVec;
    const auto call = [&](int u) {
      Acc vector[kVec];
#pragma unroll
      for (int k = 0; k < kVec; ++k) vector[k] = values[u * kVec + k];
      function(tile.at + u * tile.step * kVec, vector);
    };
    // One decision where all are there.
    if (tile.holds(kTile - 1)) {
#pragma unroll
      for (int u = 0; u < kTile; ++u) call(u);
    } else {
#pragma unroll
      for (int u = 0; u + 1 < kTile; ++u) {
        if (tile.holds(u)) call(u);
      }
    }
  }

  template <int kVec, class Step, int kValues>
  __device__ __forceinline__ void write_sum(const RunTile<Step>& tile,
                                            const Acc (&values)[kValues]) const {
    if (kForm == RowForm::plain || params_.tensors.sum == nullptr) return;
    for_each_vector<kVec>(tile, values, [&](std::int64_t at, const auto& vector) {
      store(static_cast<T*>(params_.tensors.sum) + at, pack<T>(vector), y_hint_);
    });
  }

  template <int kVec, class Step, int kValues>
  __device__ __forceinline__ void write_y(const RunTile<Step>& tile,
                                          const Acc (&values)[kValues]) const {
    const auto write_as = [&](auto tag) {
      using Out = typename decltype(tag)::type;
      for_each_vector<kVec>(tile, values, [&](std::int64_t at, const auto& vector) {
        store_values(static_cast<Out*>(params_.tensors.y) + at, vector, y_hint_);
      });
    };
    if constexpr (kForm == RowForm::plain) {
      write_as(ElementTag<T>{});
    } else {
      with_output_type<T>(params_.y_type, write_as);
    }
  }

  template <int kVec, class Step, int kValues>
  __device__ __forceinline__ void map_paired(const RunTile<Step>& tile,
                                             const ComposedPair<Acc>& pair,
                                             Acc (&values)[kValues]) const {
    const Acc mean = epilogue_.mean();
    const int apart = tile.step * kVec;
    const int left = pair.boundary - tile.index;
    // Of all vectors or of none, since they are whole vectors apart.
    const bool straddles =
        left % kVec != 0 && left > 0 && left < (kValues / kVec - 1) * apart + kVec;
    if (!straddles) {
#pragma unroll
      for (int u = 0; u < kValues / kVec; ++u) {
        const ComposedAffine<Acc> affine = pair.select(left > u * apart);
#pragma unroll
        for (int k = 0; k < kVec; ++k) {
          values[u * kVec + k] = affine.apply(values[u * kVec + k], mean);
        }
      }
      return;
    }
#pragma unroll
    for (int v = 0; v < kValues; ++v) {
      values[v] = pair.select(left > v / kVec * apart + v % kVec).apply(values[v], mean);
    }
  }

  /// Gamma and beta stay packed until they are used.
  template <int kVec, class Step, int kValues>
  __device__ __forceinline__ void map_neighbours(const RunTile<Step>& tile,
                                                 Acc (&values)[kValues]) const {
    constexpr int kTile = kValues / kVec;
    Packed<T, kVec> gamma[kTile];
#pragma unroll
    for (int u = 0; u < kTile; ++u)
      gamma[u] = read_packed<T, kVec>(gamma_at(tile.index) + tile.distance(u) * kVec);
    if (params_.tensors.beta == nullptr) {
#pragma unroll
      for (int u = 0; u < kTile; ++u) {
        Acc factor[kVec];
        unpack(gamma[u], factor);
#pragma unroll
        for (int k = 0; k < kVec; ++k) {
          Acc& value = values[u * kVec + k];
          value = epilogue_.normalise(value) * factor[k];
        }
      }
      return;
    }
    Packed<T, kVec> beta[kTile];
#pragma unroll
    for (int u = 0; u < kTile; ++u)
      beta[u] = read_packed<T, kVec>(beta_at(tile.index) + tile.distance(u) * kVec);
#pragma unroll
    for (int u = 0; u < kTile; ++u) {
      Acc factor[kVec];
      Acc offset[kVec];
      unpack(gamma[u], factor);
      unpack(beta[u], offset);
#pragma unroll
      for (int k = 0; k < kVec; ++k) {
        Acc& value = values[u * kVec + k];
        value = fma(epilogue_.normalise(value), factor[k], offset[k]);
      }
    }
  }

  /// Each vector has an affine map of its own. Those of eight values are read before the first is
  /// used; more would take too many registers.
  template <int kVec, class Step, int kValues>
  __device__ __forceinline__ void map_singly(const RunTile<Step>& tile,
                                             Acc (&values)[kValues]) const {
    constexpr int kTogether = kVec < 8 && kValues >= 8 ? 8 / kVec : 1;
#pragma unroll
    for (int first = 0; first < kValues / kVec; first += kTogether) {
      AffineValues<Acc, kVec> affine[kTogether];
#pragma unroll
      for (int u = 0; u < kTogether; ++u) {
        affine[u] = epilogue_.channels().template affine<kVec>(tile.index +
                                                               tile.distance(first + u) * kVec);
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
  const RowEpilogue<T, kForm>& epilogue_;
  const CachePolicy y_hint_;
  const Map map_;
  const ComposedPair<Acc> pair_{};
};

}  // namespace fastnorm::cuda
