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

  /// Elements [begin, begin + length) of the tensor, at most kUnroll vectors a thread of the team.
  /// h is kept as a T (exact_sum in a half-width type is not).
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

  /// What the output needs of the channels, before the statistics are known: short rows would wait
  /// for it. Of one vector a thread its affine map (not of eight elements: their factors would cost
  /// a third of the threads that fit beside each other), otherwise two that serve the whole run.
  __device__ __forceinline__ void fetch_channels(const RowChannels<T, kForm>& channels) {
    if constexpr (kFetchesAffine) {
      if (holds(0)) affine_ = channels.template affine<kVec>(first_element_);
    } else {
      const int run = step_ * kUnroll * kVec;
      const int begin = first_element_ - lane_ * kVec;
      paired_ = begin < length_ && channels.pairs_serve(run < length_ ? run : length_);
      if (paired_) pair_ = channels.pair_from(begin);
    }
  }

  /// Writes the part, whose page begins where it does.
  __device__ __forceinline__ void write(const RowParams& params,
                                        const RowEpilogue<T, kForm>& epilogue) {
    if (has_edge()) {
      Acc value[1];
      unpack(packed_edge_, value);
      write_vector<T>(params, begin_ + edge_, epilogue, edge_, value);
    }
    if constexpr (kFetchesAffine) {
      if (holds(0)) {
        Acc values[kVec];
        unpack(packed_[0], values);
        write_vector<T>(params, begin_ + first_element_, epilogue, affine_, values);
      }
    } else {
      const RunOutput<T, kForm> output = paired_ ? RunOutput<T, kForm>(params, epilogue, pair_)
                                                 : RunOutput<T, kForm>(params, epilogue);
      // One copy of the output's code, past which the vectors move up.
#pragma unroll 1
      for (int u = 0; u < kUnroll && holds(u); u += kTile) write_tile(output, u);
    }
  }

 private:
  static constexpr bool kHasEdges = kVec > 1 && kEnds == RowEnds::anywhere;
  static constexpr bool kFetchesAffine = kUnroll == 1 && kVec <= 4;
  static constexpr int kTile = tile_of<kVec, kUnroll>;
  using Step = decltype(std::declval<Team>().step());
  struct NoAffine {};

  /// Writes the first kTile of the vectors that are left, number u and the next of the thread.
  __device__ __forceinline__ void write_tile(const RunOutput<T, kForm>& output, int u) {
    Acc values[kTile * kVec];
#pragma unroll
    for (int v = 0; v < kTile; ++v) unpack_into(packed_[v], v, values);
#pragma unroll
    for (int v = 0; v + kTile < kUnroll; ++v) packed_[v] = packed_[v + kTile];
    const int index = first_element_ + u * step_ * kVec;
    const int left = vectors_ - first_vector_ - u * step_;
    output.template write<kVec>(RunTile<Step>{begin_ + index, index, left, step_}, values);
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
  int edge_ = -1;
  Packed<T, kVec> packed_[kUnroll] = {};
  Packed<T, 1> packed_edge_{};
  std::conditional_t<kFetchesAffine, AffineValues<Acc, kVec>, NoAffine> affine_;
  bool paired_ = false;
  ChannelPair<Acc> pair_;
};

}  // namespace fastnorm::cuda
