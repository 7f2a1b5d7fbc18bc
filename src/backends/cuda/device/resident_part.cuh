/// A row, or a part of it, in the registers of a team of threads: read once, its moments formed
/// where it is, written from there.
#pragma once

#include "backends/cuda/device/epilogue.cuh"
#include "backends/cuda/device/moments.cuh"
#include "backends/cuda/device/row_input.cuh"
#include "backends/cuda/device/row_output.cuh"
#include "backends/cuda/device/span.cuh"

#include <cstdint>

namespace fastnorm::cuda {

/// Of the elements of a team, for each of its threads.
template <class Acc>
struct TeamMoments {
  Acc mean;           ///< Rounded; 0 for the mean square.
  Acc mean_residual;  ///< What that leaves.
  Acc m2;             ///< Sum of squares about the mean.
  Acc count;
  Acc share;  ///< 1 / count
};

template <class Acc>
__device__ __forceinline__ PartMoments<Acc> to_part(const TeamMoments<Acc>& team) {
  return {static_cast<double>(team.mean) + team.mean_residual, team.m2, team.count};
}

/// Of a team that has the whole row.
template <class Acc>
__device__ __forceinline__ RowStatistics<Acc> finish(const TeamMoments<Acc>& team, double eps) {
  RowStatistics<Acc> row;
  row.mean = team.mean + team.mean_residual;
  row.mean_residual = team.mean_residual - (row.mean - team.mean);
  row.rstd = rstd_of(team.m2 * team.share, eps);
  return row;
}

/// Where rows may start and end: at any element, so that they have edges, or at a vector's boundary
/// alone.
enum class RowEnds { anywhere, at_vectors };

/// Elements stay packed, so that half-width types take half the registers. Beside whole vectors a
/// thread may hold one element of the edges (span.cuh): then a team has at least 2 kVec threads.
template <class T, int kVec, int kUnroll, RowEnds kEnds = RowEnds::anywhere>
class ResidentPart {
 public:
  using Acc = Accumulator<T>;

  /// Elements [begin, begin + length) of the tensor, at most kUnroll vectors a thread of the team.
  /// h is kept as a T (exact_sum in a half-width type is not).
  template <class Team>
  __device__ __forceinline__ ResidentPart(const RowParams& params, std::int64_t begin, int length,
                                          const Team& team)
      : begin_(begin), length_(length), step_(team.size()), vectors_(length / kVec) {
    const RowInput<T> input(params, begin);
    const LoadPolicy hint(params.cache.load);
    int head = 0;
    if constexpr (kHasEdges) {
      const Span<T, kVec> span(input.x, length);
      head = span.head;
      vectors_ = span.vectors;
      edge_ = span.edge(team.rank());
    }
    first_vector_ = team.rank();
    first_element_ = head + team.rank() * kVec;
    const T* from = input.x + first_element_;
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      if (holds(u)) packed_[u] = load<T, kVec>(from, hint);
      from += step_ * kVec;
    }
    if (has_edge()) packed_edge_ = load<T, 1>(input.x + edge_, hint);
    if (input.residual != nullptr) add_residual(input, hint);
  }

  /// The team's first element, in its first thread.
  __device__ __forceinline__ Acc first_value() const {
    Acc of_vector[kVec];
    unpack(packed_[0], of_vector);
    if (!has_edge() || edge_ != 0) return of_vector[0];
    Acc of_edge[1];
    unpack(packed_edge_, of_edge);
    return of_edge[0];
  }

  /// Two passes over the registers: the mean, then squares about it. Sums of the first are of
  /// deviations from `pivot`, some value of the team's elements, so a constant part has no variance
  /// at all. The second pass also sums the deviations themselves; that total, exact up to roundings
  /// of the size of the deviations, is what the first mean lacks.
  template <class Team>
  __device__ __forceinline__ TeamMoments<Acc> moments(const Team& team, Statistics statistics,
                                                      Acc pivot) {
    TeamMoments<Acc> all;
    all.count = static_cast<Acc>(length_);
    all.share = quotient(Acc{1}, all.count);
    all.mean = 0;
    all.mean_residual = 0;
    if (statistics == Statistics::mean_variance) {
      Acc total[1] = {};
      for_each([&](auto& values, bool present) {
        const Acc sum = deviations_from(pivot, values);
        total[0] += present ? sum : Acc{0};
      });
      team.add_up(total);
      all.mean = fma(total[0], all.share, pivot);
    }
    forget_unpacked();
    Acc totals[2] = {};
    for_each([&](auto& values, bool present) {
      const Acc sum = deviations_from(all.mean, values);
      const Acc squares = sum_of_squares(values);
      totals[0] += present ? sum : Acc{0};
      totals[1] += present ? squares : Acc{0};
    });
    team.add_up(totals);
    all.m2 = totals[1];
    if (statistics == Statistics::mean_variance) {
      all.mean_residual = totals[0] * all.share;
      all.m2 = fma(-totals[0], all.mean_residual, all.m2);
      // Rounding may leave it just below zero. Written so that a NaN stays one.
      if (all.m2 < 0) all.m2 = 0;
    }
    return all;
  }

  /// Where there is one vector a thread, its affine map is read before the statistics are known:
  /// short rows would wait for it. (Not of eight elements: their factors would cost a third of the
  /// threads that fit beside each other.)
  __device__ __forceinline__ void fetch_affine(const RowChannels<T>& channels) {
    if constexpr (kFetchesAffine) {
      if (holds(0)) affine_ = channels.template affine<kVec>(first_element_);
    }
  }

  /// Writes the part, whose page begins where it does.
  __device__ __forceinline__ void write(const RowParams& params, const RowEpilogue<T>& epilogue) {
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
      // One copy of the epilogue's code, past which the vectors move up.
      int at = first_element_;
#pragma unroll 1
      for (int vector = first_vector_; vector < vectors_; vector += step_) {
        Acc values[kVec];
        unpack(packed_[0], values);
#pragma unroll
        for (int u = 0; u + 1 < kUnroll; ++u) packed_[u] = packed_[u + 1];
        write_vector<T>(params, begin_ + at, epilogue, at, values);
        at += step_ * kVec;
      }
    }
  }

 private:
  static constexpr bool kHasEdges = kVec > 1 && kEnds == RowEnds::anywhere;
  static constexpr bool kFetchesAffine = kUnroll == 1 && kVec <= 4;
  struct NoAffine {};

  /// Whether there is a vector `u`.
  __device__ __forceinline__ bool holds(int u) const {
    return first_vector_ + u * step_ < vectors_;
  }

  __device__ __forceinline__ bool has_edge() const { return kHasEdges && edge_ >= 0; }

  /// In pieces: all of the residual at once would take as many registers again.
  __device__ __forceinline__ void add_residual(const RowInput<T>& input, LoadPolicy hint) {
    constexpr int kPiece = kUnroll < 4 ? kUnroll : 4;
    Packed<T, 1> edge_added{};
    if (has_edge()) edge_added = load<T, 1>(input.residual + edge_, hint);
    const T* from = input.residual + first_element_;
#pragma unroll
    for (int piece = 0; piece < kUnroll; piece += kPiece) {
      Packed<T, kVec> added[kPiece] = {};
#pragma unroll
      for (int u = 0; u < kPiece; ++u) {
        if (holds(piece + u)) added[u] = load<T, kVec>(from, hint);
        from += step_ * kVec;
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

  /// Keeps the compiler from carrying unpacked elements from one pass to the next: they would take
  /// the registers that packing saves.
  __device__ __forceinline__ void forget_unpacked() {
    if constexpr (sizeof(T) == 2 && kVec > 1 && kUnroll > 1) {
#pragma unroll
      for (int u = 0; u < kUnroll; ++u) settle(packed_[u].word);
    }
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

  /// Turns the values into their deviations from `origin`; the sum of those.
  template <int kElements>
  static __device__ __forceinline__ Acc deviations_from(Acc origin, Acc (&values)[kElements]) {
#pragma unroll
    for (int k = 0; k < kElements; ++k) values[k] -= origin;
    Acc partial[kElements];
#pragma unroll
    for (int k = 0; k < kElements; ++k) partial[k] = values[k];
#pragma unroll
    for (int half = kElements / 2; half > 0; half /= 2) {
#pragma unroll
      for (int k = 0; k < half; ++k) partial[k] += partial[k + half];
    }
    return partial[0];
  }

  template <int kElements>
  static __device__ __forceinline__ Acc sum_of_squares(const Acc (&values)[kElements]) {
    Acc chains[2] = {};  // Fewer dependent additions than in one.
#pragma unroll
    for (int k = 0; k < kElements; ++k) chains[k % 2] = fma(values[k], values[k], chains[k % 2]);
    return chains[0] + chains[1];
  }

  /// Calls visit(values, whether they are there) for each vector of the thread, and for its edge.
  template <class Visit>
  __device__ __forceinline__ void for_each(Visit&& visit) const {
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      Acc values[kVec];
      unpack(packed_[u], values);
      visit(values, holds(u));
    }
    if (has_edge()) {
      Acc value[1];
      unpack(packed_edge_, value);
      visit(value, true);
    }
  }

  const std::int64_t begin_;
  const int length_;
  const int step_;
  int first_vector_ = 0;
  int first_element_ = 0;
  int vectors_ = 0;
  int edge_ = -1;
  Packed<T, kVec> packed_[kUnroll] = {};
  Packed<T, 1> packed_edge_{};
  std::conditional_t<kFetchesAffine, AffineValues<Acc, kVec>, NoAffine> affine_;
};

}  // namespace fastnorm::cuda
