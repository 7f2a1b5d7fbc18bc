// SPDX-License-Identifier: Apache-2.0
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
  RowPlace at;  ///< The first one's first element in the tensors,
  int index;    ///< and in the page.
  int left;     ///< Vectors of the run from the first one on.
  Step step;

  __device__ __forceinline__ bool holds(int u) const { return u * step < left; }

  /// Distance of vector u from the first one, or 0 if it is not there.
  __device__ __forceinline__ int distance(int u) const { return holds(u) ? u * step : 0; }
};

/// The same where all of them are there.
template <class Step>
struct WholeTile {
  RowPlace at;
  int index;
  Step step;

  static __device__ __forceinline__ constexpr bool holds(int) { return true; }
  __device__ __forceinline__ int distance(int u) const { return u * step; }
};

template <class T, RowForm kForm>
class RunOutput {
 public:
  using Acc = Accumulator<T>;

  /// For tiles that may lie anywhere.
  __device__ __forceinline__ RunOutput(const RowParams& params, CachePolicy hint,
                                       const RowEpilogue<T, kForm>& epilogue)
      : params_(params),
        epilogue_(epilogue),
        hint_(hint),
        map_(epilogue.channels().may_be_neighbours() ? Map::neighbours : Map::singly) {}

  /// For tiles within the two channels of the pair.
  __device__ __forceinline__ RunOutput(const RowParams& params, CachePolicy hint,
                                       const RowEpilogue<T, kForm>& epilogue,
                                       const ChannelPair<Acc>& pair)
      : params_(params),
        epilogue_(epilogue),
        hint_(hint),
        map_(Map::pair),
        pair_(epilogue.compose(pair)) {}

  /// The values are h, of kVec elements a vector. The first vector is there.
  template <int kVec, class Tile, int kValues>
  __device__ __forceinline__ void write(const Tile& tile, Acc (&values)[kValues]) const {
    write_sum<kVec>(tile, values);
    if (map_ == Map::pair) {
      map_paired<kVec>(tile, pair_, values);
    } else if (map_ == Map::neighbours && kVec == full_vec<T> && epilogue_.is_ordinary() &&
               epilogue_.channels().are_aligned(tile.index)) {
      map_neighbours<kVec>(tile, values);
    } else {
      map_singly<kVec>(tile, values);
    }
    activate(params_.epilogue, values);
    write_y<kVec>(tile, values);
  }

  /// The same for whoever knows map and activation. No vector need be there.
  template <int kVec, class Tile, class Activate, int kValues>
  __device__ __forceinline__ void write(const Tile& tile, const ComposedPair<Acc>& pair,
                                        const Activate& activation, Acc (&values)[kValues]) const {
    write_sum<kVec>(tile, values);
    map_paired<kVec>(tile, pair, values);
#pragma unroll
    for (int v = 0; v < kValues; ++v) values[v] = activation(values[v]);
    write_y<kVec>(tile, values);
  }

  // The same step by step.

  template <int kVec, class Tile, int kValues>
  __device__ __forceinline__ void write_sum(const Tile& tile, const Acc (&values)[kValues]) const {
    if (kForm == RowForm::plain || params_.tensors.sum == nullptr) return;
    T* const sum = static_cast<T*>(params_.tensors.sum) + tile.at.x;
    for_each_vector<kVec>(
        tile, values, [&](int i, const auto& vector) { store(sum + i, pack<T>(vector), hint_); });
  }

  template <int kVec, class Tile, int kValues>
  __device__ __forceinline__ void write_y(const Tile& tile, const Acc (&values)[kValues]) const {
    const auto write_as = [&](auto tag) {
      using Out = typename decltype(tag)::type;
      Out* const y = static_cast<Out*>(params_.tensors.y) + tile.at.y;
      for_each_vector<kVec>(tile, values,
                            [&](int i, const auto& vector) { store_values(y + i, vector, hint_); });
    };
    if constexpr (kForm == RowForm::plain) {
      write_as(ElementTag<T>{});
    } else {
      with_output_type<T>(params_.y_type, write_as);
    }
  }

  // Of ordinary rows.

  /// By a pair whose boundary no vector straddles.
  template <int kVec, class Tile, int kValues>
  __device__ __forceinline__ void map_vectors(const Tile& tile, const ComposedPair<Acc>& pair,
                                              Acc (&values)[kValues]) const {
    const int left = pair.boundary - tile.index;
#pragma unroll
    for (int u = 0; u < kValues / kVec; ++u) {
      const ComposedAffine<Acc> affine = pair.select(left > u * tile.step * kVec);
#pragma unroll
      for (int k = 0; k < kVec; ++k) {
        values[u * kVec + k] = affine.apply(values[u * kVec + k]);
      }
    }
  }

  /// Of neighbouring channels whose values lie in memory as those of h do. They stay packed until
  /// they are used.
  template <int kVec, int kTile, int kValues>
  __device__ __forceinline__ void scale(const Packed<T, kVec> (&gamma)[kTile],
                                        Acc (&values)[kValues]) const {
#pragma unroll
    for (int u = 0; u < kTile; ++u) {
      Acc factor[kVec];
      unpack(gamma[u], factor);
#pragma unroll
      for (int k = 0; k < kVec; ++k) {
        Acc& value = values[u * kVec + k];
        // The zero makes of -0 what every other way to y makes of it.
        value = fma(epilogue_.normalise_ordinary(value), factor[k], Acc{0});
      }
    }
  }
  template <int kVec, int kTile, int kValues>
  __device__ __forceinline__ void map_neighbours(const Packed<T, kVec> (&gamma)[kTile],
                                                 const Packed<T, kVec> (&beta)[kTile],
                                                 Acc (&values)[kValues]) const {
#pragma unroll
    for (int u = 0; u < kTile; ++u) {
      Acc factor[kVec];
      Acc offset[kVec];
      unpack(gamma[u], factor);
      unpack(beta[u], offset);
#pragma unroll
      for (int k = 0; k < kVec; ++k) {
        Acc& value = values[u * kVec + k];
        value = fma(epilogue_.normalise_ordinary(value), factor[k], offset[k]);
      }
    }
  }

  /// Of neighbouring channels with whole accesses (RowChannels), in one of the NeighbourForms.
  template <class Form, int kVec, class Tile, int kValues>
  __device__ __forceinline__ void map_own(const Tile& tile, Acc (&values)[kValues]) const {
#pragma unroll
    for (int u = 0; u < kValues / kVec; ++u) {
      const int index = tile.index + tile.distance(u) * kVec;
      const AffineValues<Acc, kVec> affine =
          epilogue_.channels().template own_affine<Form, kVec>(index);
      Acc vector[kVec];
#pragma unroll
      for (int k = 0; k < kVec; ++k) vector[k] = values[u * kVec + k];
      epilogue_.template apply_ordinary<Form>(affine, vector);
#pragma unroll
      for (int k = 0; k < kVec; ++k) values[u * kVec + k] = vector[k];
    }
  }

  __device__ __forceinline__ const T* gamma_at(int index) const {
    return static_cast<const T*>(params_.tensors.gamma) + epilogue_.channels().channel_at(index);
  }
  __device__ __forceinline__ const T* beta_at(int index) const {
    return static_cast<const T*>(params_.tensors.beta) + epilogue_.channels().channel_at(index);
  }

 private:
  /// How the vectors' affine maps are found.
  enum class Map {
    pair,        ///< Two for all of them.
    neighbours,  ///< One an element, gamma and beta as they lie in memory.
    singly,      ///< Any other.
  };

  /// Calls function(distance in elements from the tile's first, values) for each vector that is
  /// there.
  template <int kVec, class Tile, int kValues, class Function>
  static __device__ __forceinline__ void for_each_vector(const Tile& tile,
                                                         const Acc (&values)[kValues],
                                                         Function&& function) {
    constexpr int kTile = kValues / kVec;
    const auto call = [&](int u) {
      Acc vector[kVec];
#pragma unroll
      for (int k = 0; k < kVec; ++k) vector[k] = values[u * kVec + k];
      function(u * tile.step * kVec, vector);
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

  template <int kVec, class Tile, int kValues>
  __device__ __forceinline__ void map_paired(const Tile& tile, const ComposedPair<Acc>& pair,
                                             Acc (&values)[kValues]) const {
    const int apart = tile.step * kVec;
    const int left = pair.boundary - tile.index;
    // Of all vectors or of none, since they are whole vectors apart.
    const bool straddles =
        left % kVec != 0 && left > 0 && left < (kValues / kVec - 1) * apart + kVec;
    if (!straddles && epilogue_.is_ordinary()) return map_vectors<kVec>(tile, pair, values);
#pragma unroll
    for (int v = 0; v < kValues; ++v) {
      values[v] =
          pair.select(left > v / kVec * apart + v % kVec).apply(values[v] - epilogue_.origin());
    }
  }

  template <int kVec, class Tile, int kValues>
  __device__ __forceinline__ void map_neighbours(const Tile& tile, Acc (&values)[kValues]) const {
    constexpr int kTile = kValues / kVec;
    const auto read = [&tile](const T* from, Packed<T, kVec>(&vectors)[kTile]) {
#pragma unroll
      for (int u = 0; u < kTile; ++u) {
        vectors[u] = read_packed<T, kVec>(from + tile.distance(u) * kVec);
      }
    };
    Packed<T, kVec> gamma[kTile];
    read(gamma_at(tile.index), gamma);
    if (params_.tensors.beta == nullptr) {
      scale<kVec>(gamma, values);
    } else {
      Packed<T, kVec> beta[kTile];
      read(beta_at(tile.index), beta);
      map_neighbours<kVec>(gamma, beta, values);
    }
  }

  /// Each vector has an affine map of its own. Those of eight values are read before the first is
  /// used; more would take too many registers.
  template <int kVec, class Tile, int kValues>
  __device__ __forceinline__ void map_singly(const Tile& tile, Acc (&values)[kValues]) const {
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
  const CachePolicy hint_;
  const Map map_;
  const ComposedPair<Acc> pair_{};
};

}  // namespace fastnorm::cuda
