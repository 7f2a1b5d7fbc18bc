// SPDX-License-Identifier: Apache-2.0
/// A row, or a part of it, in the registers of a team of threads: read once, its moments formed
/// where it is, written from there.
#pragma once

#include "backends/cuda/device/epilogue.cuh"
#include "backends/cuda/device/moments.cuh"
#include "backends/cuda/device/row_input.cuh"
#include "backends/cuda/device/row_output.cuh"
#include "backends/cuda/device/run_output.cuh"
#include "backends/cuda/device/span.cuh"

#include <cstdint>
#include <type_traits>
#include <utility>

namespace fastnorm::cuda {

/// Where rows may start and end: at any element, so that they have edges, or at a vector's boundary
/// alone.
enum class RowEnds { anywhere, at_vectors };

/// Elements stay packed, so that half-width types take half the registers. Beside whole vectors a
/// thread may hold one element of the edges (span.cuh): then a team has at least 2 kVec threads.
template <class T, int kVec, int kUnroll, class Team, RowForm kForm,
          RowEnds kEnds = RowEnds::anywhere>
class ResidentPart {
 public:
  using Acc = Accumulator<T>;

  /// `length` elements from element `begin` of x's memory on, at most kUnroll vectors a thread of
  /// the team. h is kept as a T (exact_sum in a half-width type is not).
  __device__ __forceinline__ ResidentPart(const RowParams& params, std::int64_t begin, int length,
                                          const Team& team)
      : begin_(begin),
        length_(length),
        vectors_(length / kVec),
        step_(team.step()),
        lane_(team.lane()),
        first_vector_(team.template run_of<kUnroll>() + lane_) {
    const RowInput<T, kForm> input(params, begin);
    const CachePolicy hint(params.cache.load);
    int head = 0;
    if constexpr (kHasEdges) {
      const Span<T, kVec> span(input.x, length);
      head = span.head;
      vectors_ = span.vectors;
      edge_ = span.edge(team.rank());
    }
    first_element_ = head + first_vector_ * kVec;
    const T* const from = input.x + first_element_;
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      if (holds(u)) packed_[u] = load<T, kVec>(from + u * step_ * kVec, hint);
    }
    if (has_edge()) packed_edge_ = load<T, 1>(input.x + edge_, hint);
    if (input.residual != nullptr) add_residual(input, hint);
  }

  /// Of the part, for every thread of the team. All of them call it.
  __device__ __forceinline__ PartMoments<Acc> moments(const Team& team,
                                                      Statistics statistics) const {
    const bool centred = statistics == Statistics::mean_variance;
    const Acc pivot = centred ? team.from_first(own_pivot()) : Acc{0};
    PivotSums<Acc> sums;
    const auto add = [&](const auto& values) {
      if (centred) {
        sums.add(values, pivot);
      } else {
        sums.add_squares(values);
      }
    };
    if (holds(kUnroll - 1)) {
      Acc values[kUnroll * kVec];
#pragma unroll
      for (int u = 0; u < kUnroll; ++u) unpack_into(packed_[u], u, values);
      add(values);
    } else {
#pragma unroll
      for (int u = 0; u + 1 < kUnroll; ++u) {
        if (!holds(u)) break;
        Acc values[kVec];
        unpack(packed_[u], values);
        add(values);
      }
    }
    if (has_edge()) {
      Acc value[1];
      unpack(packed_edge_, value);
      add(value);
    }
    return team.merge(sums, pivot, elements_of_run());
  }

  /// What the output needs, before the statistics are known, which short rows would wait for, and
  /// after x's loads, which would wait for it. Of the channels: of one vector a thread its affine
  /// map (not of eight elements: their factors would cost a third of the threads that fit beside
  /// each other), otherwise gamma and beta as they lie in memory, or two channels that serve the
  /// whole run.
  __device__ __forceinline__ void prepare_output(const RowChannels<T, kForm>& channels) {
    store_hint_ = CachePolicy(channels.params().cache.store);
    if constexpr (kFetchesAffine) {
      if (holds(0)) affine_ = channels.template affine<kVec>(first_element_);
    } else {
      const int run = step_ * kUnroll * kVec;
      const int begin = first_element_ - lane_ * kVec;
      source_ = Source::looked_up;
      if (kWritesAtOnce && kVec == full_vec<T> && channels.are_neighbours(first_element_)) {
        source_ = Source::neighbours;
        if constexpr (kFetchesNeighbours) {
          if (holds(0)) read_neighbours(channels, gamma_, beta_);
        }
      } else if (kMapsOwnChannels && channels.have_whole_accesses(first_element_)) {
        source_ = Source::own_channels;
        if (channels.is_modulated()) {
#pragma unroll
          for (int u = 0; u < kUnroll; ++u) {
            if (holds(u)) channels.prefetch_modulation(first_element_ + u * step_ * kVec);
          }
        }
      } else if (begin < length_ && channels.pairs_serve(run < length_ ? run : length_)) {
        source_ = Source::pair;
        pair_ = channels.pair_from(begin);
      }
    }
  }

  /// Writes the part, whose page begins where it does, from element `begin` of y's memory on.
  __device__ __forceinline__ void write(const RowParams& params, std::int64_t begin,
                                        const RowEpilogue<T, kForm>& epilogue) {
    const RowPlace place{begin_, begin};
    if (has_edge()) {
      Acc value[1];
      unpack(packed_edge_, value);
      write_vector<T>(params, place + edge_, store_hint_, epilogue, edge_, value);
    }
    if constexpr (kFetchesAffine) {
      if (holds(0)) {
        Acc values[kVec];
        unpack(packed_[0], values);
        write_vector<T>(params, place + first_element_, store_hint_, epilogue, affine_, values);
      }
    } else if (kWritesAtOnce && params.epilogue.activation == Activation::none &&
               source_ != Source::looked_up && !straddles() && epilogue.is_ordinary()) {
      const RunOutput<T, kForm> output(params, store_hint_, epilogue);
      if (source_ == Source::pair) {
        const ComposedPair<Acc> pair = epilogue.compose(pair_);
        write_at_once(place, output, [&](const auto& tile, Acc(&values)[kTile * kVec]) {
          output.template map_vectors<kVec>(tile, pair, values);
        });
      } else if (source_ == Source::own_channels) {
        if constexpr (kMapsOwnChannels) write_own_channels(params, place, output);
      } else if (params.tensors.beta == nullptr) {
        write_at_once(place, output, [&](const auto& tile, Acc(&values)[kTile * kVec]) {
          Packed<T, kVec> gamma[kTile];
          get_neighbours(tile, output.gamma_at(tile.index), gamma_, gamma);
          output.template scale<kVec>(gamma, values);
        });
      } else {
        write_at_once(place, output, [&](const auto& tile, Acc(&values)[kTile * kVec]) {
          Packed<T, kVec> gamma[kTile];
          Packed<T, kVec> beta[kTile];
          get_neighbours(tile, output.gamma_at(tile.index), gamma_, gamma);
          get_neighbours(tile, output.beta_at(tile.index), beta_, beta);
          output.template map_neighbours<kVec>(gamma, beta, values);
        });
      }
    } else {
      write_in_turn(params, place, epilogue);
    }
  }

 private:
  static constexpr bool kHasEdges = kVec > 1 && kEnds == RowEnds::anywhere;
  /// Of one vector a thread, which has registers to spare while it waits.
  static constexpr bool kFetchesAffine = kUnroll == 1 && kVec <= 4;
  static constexpr bool kFetchesNeighbours = kUnroll == 1 && !kFetchesAffine;
  static constexpr int kTile = tile_of<kVec, kUnroll>;
  /// Whether there is anything to be gained by it: a single tile does not move up.
  static constexpr bool kWritesAtOnce = kUnroll > kTile || kFetchesNeighbours;
  static constexpr bool kMapsOwnChannels =
      kForm == RowForm::fused && kWritesAtOnce && kVec == full_vec<T> && sizeof(T) < 8;
  using Step = decltype(std::declval<Team>().step());
  struct Nothing {};

  /// Where the affine maps of the vectors come from.
  enum class Source {
    pair,          ///< Two channels for all of them.
    neighbours,    ///< Gamma and beta, as they lie in memory.
    own_channels,  ///< Whatever an element's own channel has, in whole accesses.
    looked_up,     ///< For each vector anew.
  };

  /// As they lie in memory, of the one vector. Beta is zero where there is none.
  __device__ __forceinline__ void read_neighbours(const RowChannels<T, kForm>& channels,
                                                  Packed<T, kVec>& gamma,
                                                  Packed<T, kVec>& beta) const {
    const NormArgs& tensors = channels.params().tensors;
    const std::int64_t channel = channels.channel_at(first_element_);
    gamma = read_packed<T, kVec>(static_cast<const T*>(tensors.gamma) + channel);
    beta = {};
    if (tensors.beta != nullptr) {
      beta = read_packed<T, kVec>(static_cast<const T*>(tensors.beta) + channel);
    }
  }

  /// Those of a tile: as they were fetched, or read now.
  template <class Tile, class Fetched>
  __device__ __forceinline__ void get_neighbours(const Tile& tile, const T* from,
                                                 const Fetched& fetched,
                                                 Packed<T, kVec> (&vectors)[kTile]) const {
    if constexpr (kFetchesNeighbours) {
      vectors[0] = fetched;
    } else {
#pragma unroll
      for (int v = 0; v < kTile; ++v) {
        vectors[v] = read_packed<T, kVec>(from + tile.distance(v) * kVec);
      }
    }
  }

  /// Whether a vector may meet both channels of the pair.
  __device__ __forceinline__ bool straddles() const {
    return source_ == Source::pair && (pair_.boundary - first_element_) % kVec != 0;
  }

  __device__ __forceinline__ RunTile<Step> tile_at(const RowPlace& place, int u) const {
    // The thread's own place is one sum for all of its tiles.
    const int ahead = u * step_ * kVec;
    return {place + first_element_ + ahead, first_element_ + ahead,
            vectors_ - first_vector_ - u * step_, step_};
  }

  /// Each vector where it is: map(tile, values) is all that happens to h. Of a thread
  /// whose vectors are all there, in one go, so that what the map reads is on its way early.
  template <class Map>
  __device__ __forceinline__ void write_at_once(const RowPlace& place,
                                                const RunOutput<T, kForm>& output,
                                                Map&& map) const {
    const auto write_tile = [&](const auto& tile, int u) {
      Acc values[kTile * kVec];
#pragma unroll
      for (int v = 0; v < kTile; ++v) unpack_into(packed_[u + v], v, values);
      output.template write_sum<kVec>(tile, values);
      map(tile, values);
      output.template write_y<kVec>(tile, values);
    };
    if (holds(kUnroll - 1)) {
#pragma unroll
      for (int u = 0; u < kUnroll; u += kTile) {
        const RunTile<Step> tile = tile_at(place, u);
        write_tile(WholeTile<Step>{tile.at, tile.index, tile.step}, u);
      }
    } else {
#pragma unroll
      for (int u = 0; u < kUnroll; u += kTile) {
        if (!holds(u)) break;
        write_tile(tile_at(place, u), u);
      }
    }
  }

  /// In a loop for each way in which channels may differ.
  __device__ __forceinline__ void write_own_channels(const RowParams& params, const RowPlace& place,
                                                     const RunOutput<T, kForm>& output) const {
    with_neighbour_form<T>(params, [&](auto form) {
      write_at_once(place, output, [&](const auto& tile, Acc(&values)[kTile * kVec]) {
        output.template map_own<decltype(form), kVec>(tile, values);
      });
    });
  }

  /// One copy of the output's code, past which the vectors move up.
  __device__ __forceinline__ void write_in_turn(const RowParams& params, const RowPlace& place,
                                                const RowEpilogue<T, kForm>& epilogue) {
    const RunOutput<T, kForm> output =
        source_ == Source::pair ? RunOutput<T, kForm>(params, store_hint_, epilogue, pair_)
                                : RunOutput<T, kForm>(params, store_hint_, epilogue);
#pragma unroll 1
    for (int u = 0; u < kUnroll && holds(u); u += kTile) {
      Acc values[kTile * kVec];
#pragma unroll
      for (int v = 0; v < kTile; ++v) unpack_into(packed_[v], v, values);
#pragma unroll
      for (int v = 0; v + kTile < kUnroll; ++v) packed_[v] = packed_[v + kTile];
      output.template write<kVec>(tile_at(place, u), values);
    }
  }

  /// From the thread's first elements; of a run's first thread, the run's first.
  __device__ __forceinline__ Acc own_pivot() const {
    if (holds(0)) {
      Acc values[kVec];
      unpack(packed_[0], values);
      return pivot_of(values);
    }
    Acc value[1] = {0};
    if (has_edge()) unpack(packed_edge_, value);
    return value[0];
  }

  /// The first run has the part's edges.
  __device__ __forceinline__ int elements_of_run() const {
    const int begin = first_vector_ - lane_;
    const int vectors = min(max(vectors_ - begin, 0), step_ * kUnroll);
    return vectors * kVec + (begin == 0 ? length_ - vectors_ * kVec : 0);
  }

  /// Whether there is a vector `u`.
  __device__ __forceinline__ bool holds(int u) const {
    return first_vector_ + u * step_ < vectors_;
  }

  __device__ __forceinline__ bool has_edge() const { return kHasEdges && edge_ >= 0; }

  /// In pieces: all of the residual at once would take as many registers again.
  __device__ __forceinline__ void add_residual(const RowInput<T, kForm>& input, CachePolicy hint) {
    constexpr int kPiece = kUnroll < 4 ? kUnroll : 4;
    Packed<T, 1> edge_added{};
    if (has_edge()) edge_added = load<T, 1>(input.residual + edge_, hint);
    const T* const from = input.residual + first_element_;
#pragma unroll
    for (int piece = 0; piece < kUnroll; piece += kPiece) {
      Packed<T, kVec> added[kPiece] = {};
#pragma unroll
      for (int u = 0; u < kPiece; ++u) {
        if (holds(piece + u)) {
          added[u] = load<T, kVec>(from + (piece + u) * step_ * kVec, hint);
        }
      }
#pragma unroll
      for (int u = 0; u < kPiece; ++u) {
        packed_[piece + u] = sum(packed_[piece + u], added[u]);
        if constexpr (kPiece < kUnroll) settle(packed_[piece + u].word);
      }
    }
    packed_edge_ = sum(packed_edge_, edge_added);
  }

  /// For the compiler, the vector is computed here and now, and is all that is known of it.
  static __device__ __forceinline__ void settle(uint4& vector) {
    asm volatile("" : "+r"(vector.x), "+r"(vector.y), "+r"(vector.z), "+r"(vector.w));
  }

  template <int kElements>
  static __device__ __forceinline__ Packed<T, kElements> sum(const Packed<T, kElements>& x,
                                                             const Packed<T, kElements>& residual) {
    Acc a[kElements];
    Acc b[kElements];
    unpack(x, a);
    unpack(residual, b);
#pragma unroll
    for (int k = 0; k < kElements; ++k) a[k] += b[k];
    return pack<T>(a);
  }

  const std::int64_t begin_;
  const int length_;
  int vectors_;
  const Step step_;
  const int lane_;
  const int first_vector_;
  int first_element_ = 0;
  CachePolicy store_hint_;
  int edge_ = -1;
  Packed<T, kVec> packed_[kUnroll] = {};
  Packed<T, 1> packed_edge_{};
  std::conditional_t<kFetchesAffine, AffineValues<Acc, kVec>, Nothing> affine_;
  std::conditional_t<kFetchesNeighbours, Packed<T, kVec>, Nothing> gamma_;
  std::conditional_t<kFetchesNeighbours, Packed<T, kVec>, Nothing> beta_;
  Source source_ = Source::looked_up;
  ChannelPair<Acc> pair_;
};

}  // namespace fastnorm::cuda
