// SPDX-License-Identifier: Apache-2.0
/// Mean and centred second moment: of a thread's elements, merged over lanes, warps and blocks,
/// finished to rstd.
///
/// Nowhere is E[x^2] - mean^2 formed about a point far from the data, which cancels when the mean
/// is large. Sums are of deviations from a pivot, and M2 = S2 - S1^2 / n is then a difference, too,
/// but a harmless one: where the pivot is the mean of one share in K of the elements, (pivot -
/// mean)^2 <= K variance, so that at most log2(K) bits are lost, in rows that are made for it, and
/// hardly one in any other. Each level of the merge (a thread's vectors or those that a warp holds,
/// a warp's lanes, a block's warps, a row's blocks) has a pivot of its own, from the first of what
/// it merges, and settles its mean and M2 before the next. Compare Chan, Golub and LeVeque,
/// "Algorithms for computing the sample variance: analysis and recommendations" (1983), shifted and
/// pairwise data.
///
/// The mean square, where that is wanted, is S2 / n about 0.
#pragma once

#include "backends/cuda/device/element.cuh"
#include "backends/cuda/device/fast_math.cuh"
#include "backends/cuda/device/host_device.hpp"
#include "core/problem.hpp"

#include <cstdint>

namespace fastnorm::cuda {

/// What threads, warps and blocks hand on. The mean is pivot + offset: together they hold it to
/// more than the type's precision, which a row with |mean| >> std cannot do without.
template <class Acc>
struct alignas(16) PartMoments {
  using Value = Acc;

  Acc pivot = 0;
  Acc offset = 0;
  Acc m2 = 0;
  Acc count = 0;

  /// Of another part's mean from this one's.
  FASTNORM_HOST_DEVICE Acc distance(const PartMoments& to) const {
    return (to.pivot - pivot) + (to.offset - offset);
  }

  FASTNORM_HOST_DEVICE double mean() const { return static_cast<double>(pivot) + offset; }
};

/// Sums about a pivot, which add up in any number at once.
template <class Acc>
struct PivotSums {
  Acc deviations = 0;
  Acc squares = 0;

  /// A part whose mean is `distance` away from the pivot.
  FASTNORM_HOST_DEVICE void add(const PartMoments<Acc>& part, Acc distance) {
    const Acc deviation = distance * part.count;
    deviations += deviation;
    squares += fma(distance, deviation, part.m2);
  }

  /// Elements.
  template <int kChunk>
  FASTNORM_HOST_DEVICE void add(const Acc (&values)[kChunk], Acc pivot) {
    // Four chains: fewer dependent additions, and a smaller error than one.
    constexpr int kChains = kChunk < 4 ? kChunk : 4;
    Acc deviations_of[kChains];
    Acc squares_of[kChains];
    FASTNORM_UNROLL
    for (int k = 0; k < kChains; ++k) {
      deviations_of[k] = values[k] - pivot;
      squares_of[k] = deviations_of[k] * deviations_of[k];
    }
    FASTNORM_UNROLL
    for (int k = kChains; k < kChunk; ++k) {
      const Acc d = values[k] - pivot;
      deviations_of[k % kChains] += d;
      squares_of[k % kChains] = fma(d, d, squares_of[k % kChains]);
    }
    deviations += total(deviations_of);
    squares += total(squares_of);
  }

  /// The same where only the squares about 0 are wanted.
  template <int kChunk>
  FASTNORM_HOST_DEVICE void add_squares(const Acc (&values)[kChunk]) {
    constexpr int kChains = kChunk < 4 ? kChunk : 4;
    Acc squares_of[kChains];
    FASTNORM_UNROLL
    for (int k = 0; k < kChains; ++k) squares_of[k] = values[k] * values[k];
    FASTNORM_UNROLL
    for (int k = kChains; k < kChunk; ++k) {
      squares_of[k % kChains] = fma(values[k], values[k], squares_of[k % kChains]);
    }
    squares += total(squares_of);
  }

  /// Of `count` elements about pivot + offset.
  FASTNORM_HOST_DEVICE PartMoments<Acc> settle(Acc pivot, Acc offset, Acc count) const {
    if (count == 0) return {};
    const Acc d = deviations * reciprocal(count);
    const Acc m2 = fma(-d, deviations, squares);
    // Rounding may leave a constant row less than nothing. Written so that a NaN stays one.
    return {pivot, offset + d, m2 < 0 ? Acc{0} : m2, count};
  }

 private:
  template <int kChains>
  static FASTNORM_HOST_DEVICE Acc total(const Acc (&chains)[kChains]) {
    if constexpr (kChains == 4) {
      return (chains[0] + chains[1]) + (chains[2] + chains[3]);
    } else if constexpr (kChains == 2) {
      return chains[0] + chains[1];
    } else {
      return chains[0];
    }
  }
};

/// A pivot from the first of a chunk's values, whose sum the type may not hold. It need not be
/// exact.
template <class Acc, int kChunk>
FASTNORM_HOST_DEVICE inline Acc pivot_of(const Acc (&values)[kChunk]) {
  constexpr int kFirst = kChunk < 8 ? kChunk : 8;
  constexpr Acc share = Acc{1} / kFirst;
  Acc even = values[0] * share;
  Acc odd = 0;
  FASTNORM_UNROLL
  for (int k = 1; k < kFirst; ++k) {
    Acc& chain = k % 2 == 0 ? even : odd;
    chain = fma(values[k], share, chain);
  }
  return even + odd;
}

/// After so many chunks a thread hands its moments on and begins anew: its pivot comes from the
/// first of them, and equal chunks that are added to a large sum are all rounded the same way.
inline constexpr int chunks_before_merge = 32;

/// One thread's elements, about a pivot from the first of them.
template <class Acc>
struct ThreadMoments {
  PivotSums<Acc> sums;
  Acc pivot = 0;
  Acc count = 0;

  template <int kChunk>
  FASTNORM_HOST_DEVICE void add(const Acc (&values)[kChunk]) {
    if (count == 0) pivot = pivot_of(values);
    sums.add(values, pivot);
    count += kChunk;
  }

  template <int kChunk>
  FASTNORM_HOST_DEVICE void add(const Acc (&values)[kChunk], Statistics statistics) {
    if (statistics == Statistics::mean_variance) {
      add(values);
    } else {
      sums.add_squares(values);
      count += kChunk;
    }
  }

  FASTNORM_HOST_DEVICE PartMoments<Acc> part() const { return sums.settle(pivot, 0, count); }
};

/// Two parts. (Chan's formula: mean = mean_a + d w, M2 = M2_a + M2_b + d^2 n_a w.)
template <class Acc>
FASTNORM_HOST_DEVICE inline PartMoments<Acc> merge(const PartMoments<Acc>& a,
                                                   const PartMoments<Acc>& b) {
  if (a.count == 0) return b;
  if (b.count == 0) return a;
  const Acc count = a.count + b.count;
  const Acc w = b.count * reciprocal(count);
  const Acc d = a.distance(b);
  return {a.pivot, fma(d, w, a.offset), a.m2 + b.m2 + (d * a.count) * (d * w), count};
}

/// What the output needs of a row. The mean is carried in two parts: x - mean is then right to the
/// last bit also where |mean| >> std.
template <class Acc>
struct RowStatistics {
  Acc mean = 0;
  Acc mean_residual = 0;
  Acc rstd = 0;
};

/// One row's. A variance (or mean square) that exceeds the type makes the row NaN: with an rstd of
/// 0 it would look like a row that was normalised.
template <class Acc>
FASTNORM_HOST_DEVICE inline RowStatistics<Acc> finish(const PartMoments<Acc>& part,
                                                      Statistics statistics,
                                                      typename PartMoments<Acc>::Value eps) {
  RowStatistics<Acc> row;
  Acc spread = part.m2 * reciprocal(part.count);
  if (statistics == Statistics::mean_variance) {
    // The sum and what its rounding leaves (Knuth's TwoSum).
    row.mean = part.pivot + part.offset;
    const Acc offset = row.mean - part.pivot;
    row.mean_residual = (part.pivot - (row.mean - offset)) + (part.offset - offset);
  } else {
    // About 0 already, where the elements were taken as squares.
    const Acc mean = part.pivot + part.offset;
    spread = fma(mean, mean, spread);
  }
  row.rstd = reciprocal_root(spread + eps);
  if (spread - spread != 0) row.rstd = spread - spread;
  return row;
}

#ifdef __CUDACC__

/// Sums over `width` neighbouring lanes, a power of two, in each of them; the same bits in all,
/// since an addition does not depend on its operands' order. All lanes of the warp call it.
template <class... Values>
__device__ __forceinline__ void sum_lanes(int width, Values&... values) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    if (offset < width) ((values += __shfl_xor_sync(~0u, values, offset)), ...);
  }
}

/// Merges `width` neighbouring lanes, a power of two, for each of them; the same bits in all. If
/// any of them has elements, the first has. All lanes of the warp call it.
template <class Acc>
__device__ __forceinline__ PartMoments<Acc> merge_lanes(const PartMoments<Acc>& part,
                                                        int width = 32) {
  PartMoments<Acc> first;
  first.pivot = __shfl_sync(~0u, part.pivot, 0, width);
  first.offset = __shfl_sync(~0u, part.offset, 0, width);
  PivotSums<Acc> sums;
  sums.add(part, first.distance(part));
  Acc count = part.count;
  sum_lanes(width, sums.deviations, sums.squares, count);
  return sums.settle(first.pivot, first.offset, count);
}

/// Merges 1 to 32 parts in shared memory, for every thread: each warp does so for itself, in as
/// many lanes as are needed. If any of them has elements, the first has. All lanes of the warp call
/// it.
template <class Acc>
__device__ __forceinline__ PartMoments<Acc> merge_few(const PartMoments<Acc>* parts,
                                                      unsigned int count) {
  const int width = 1 << (32 - __clz(static_cast<int>(count) - 1));
  const unsigned int lane = threadIdx.x % 32;
  const unsigned int of_group = lane & (static_cast<unsigned int>(width) - 1);
  return merge_lanes(of_group < count ? parts[of_group] : PartMoments<Acc>{}, width);
}

/// Merges the block's warps, each of whose lanes has its warp's part; for every thread, in an order
/// that depends on the block's size alone. Every thread of the block calls it, and between two
/// calls there must be a barrier.
template <class Acc>
__device__ __forceinline__ PartMoments<Acc> merge_warps(const PartMoments<Acc>& of_warp) {
  __shared__ PartMoments<Acc> parts[32];
  const unsigned int lane = threadIdx.x % 32;
  const unsigned int warp = threadIdx.x / 32;
  const unsigned int warps = blockDim.x / 32;
  if (lane == 0) parts[warp] = of_warp;
  __syncthreads();
  // Each warp for itself: that is cheaper than one more barrier.
  return merge_few(parts, warps);
}

#endif

}  // namespace fastnorm::cuda
