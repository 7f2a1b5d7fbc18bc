/// Mean and centred second moment: of a thread's elements, merged over a block, finished to rstd.
///
/// Nowhere is E[x^2] - mean^2 formed, which cancels when the mean is large. Merging two sets a and
/// b is Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for computing sample
/// variances" (1979): with delta = mean_b - mean_a and w = n_b / (n_a + n_b),
///     mean = mean_a + delta w        M2 = M2_a + M2_b + delta^2 n_a w
/// The mean square, where that is wanted, is M2 / n + mean^2: a sum of what is not negative, so it
/// loses nothing, and one kernel serves both statistics without its speed, which is memory's.
#pragma once

#include "backends/cuda/device/element.cuh"
#include "core/problem.hpp"

#include <cstdint>

namespace fastnorm::cuda {

__device__ __forceinline__ float quotient(float a, float b) { return __fdividef(a, b); }
__device__ __forceinline__ double quotient(double a, double b) { return a / b; }

/// One thread's elements, taken in chunks that sit in registers: a chunk's mean and M2 are formed
/// by two passes over it, so the merge costs a chunk and not an element.
///
/// All of it is done on x - pivot, with the thread's first element as pivot: where |mean| >> std
/// the subtraction is exact, and what is rounded after it is of the size of std. Should the pivot
/// be an outlier, only this one thread's part of the row meets the coarser grid of numbers around
/// it.
template <class Acc>
struct ThreadMoments {
  Acc count = 0;
  Acc pivot = 0;
  Acc mean = 0;  ///< Of x - pivot.
  Acc m2 = 0;

  template <int kChunk>
  __device__ __forceinline__ void add(const Acc (&values)[kChunk]) {
    if (count == 0) pivot = values[0];
    // Four chains: fewer dependent additions, and a smaller error than one.
    constexpr int kChains = kChunk < 4 ? kChunk : 4;
    Acc shifted[kChunk];
    Acc sums[kChains] = {};
#pragma unroll
    for (int k = 0; k < kChunk; ++k) {
      shifted[k] = values[k] - pivot;
      sums[k % kChains] += shifted[k];
    }
    const Acc chunk_mean = total(sums) * (Acc{1} / kChunk);
    Acc squares[kChains] = {};
#pragma unroll
    for (int k = 0; k < kChunk; ++k) {
      const Acc d = shifted[k] - chunk_mean;
      squares[k % kChains] = fma(d, d, squares[k % kChains]);
    }
    merge(kChunk, chunk_mean, total(squares));
  }

  /// Adds the first `present` of the values; at least one.
  template <int kChunk>
  __device__ __forceinline__ void add_some(const Acc (&values)[kChunk], int present) {
    if (count == 0) pivot = values[0];
    Acc sum = 0;
#pragma unroll
    for (int k = 0; k < kChunk; ++k) sum += k < present ? values[k] - pivot : Acc{0};
    const Acc chunk_count = static_cast<Acc>(present);
    const Acc chunk_mean = sum / chunk_count;
    Acc chunk_m2 = 0;
#pragma unroll
    for (int k = 0; k < kChunk; ++k) {
      const Acc d = (values[k] - pivot) - chunk_mean;
      if (k < present) chunk_m2 = fma(d, d, chunk_m2);
    }
    merge(chunk_count, chunk_mean, chunk_m2);
  }

 private:
  template <int kChains>
  static __device__ __forceinline__ Acc total(const Acc (&chains)[kChains]) {
    if constexpr (kChains == 4) {
      return (chains[0] + chains[1]) + (chains[2] + chains[3]);
    } else if constexpr (kChains == 2) {
      return chains[0] + chains[1];
    } else {
      return chains[0];
    }
  }

  __device__ __forceinline__ void merge(Acc other_count, Acc other_mean, Acc other_m2) {
    const Acc all = count + other_count;
    // An approximate quotient moves the mean by a rounding of delta, which is small beside the
    // deviation; only for the first chunk is delta the mean itself.
    const Acc w = count == 0 ? Acc{1} : quotient(other_count, all);
    const Acc delta = other_mean - mean;
    mean = fma(delta, w, mean);
    m2 += other_m2 + (delta * count) * (delta * w);
    count = all;
  }
};

/// What threads, warps and blocks hand on. The mean is fp64: the merges are few, and in fp32 each
/// would round the mean by up to half a unit, which a row with |mean| >> std cannot afford.
template <class Acc>
struct alignas(16) PartMoments {
  double mean = 0;
  Acc m2 = 0;
  Acc count = 0;
};

template <class Acc>
__device__ __forceinline__ PartMoments<Acc> to_part(const ThreadMoments<Acc>& thread) {
  return {static_cast<double>(thread.pivot) + thread.mean, thread.m2, thread.count};
}

/// Branch-free: short rows spend much of their time here. The quotient may be approximate except
/// where it must be 1, as in ThreadMoments.
template <class Acc>
__device__ __forceinline__ PartMoments<Acc> merge(const PartMoments<Acc>& a,
                                                  const PartMoments<Acc>& b) {
  const Acc all = a.count + b.count;
  const Acc share = a.count == 0 ? Acc{1} : quotient(b.count, all);
  const Acc w = b.count == 0 ? Acc{0} : share;
  const double delta = b.mean - a.mean;
  const Acc d = static_cast<Acc>(delta);
  return {fma(delta, static_cast<double>(w), a.mean), a.m2 + b.m2 + (d * a.count) * (d * w), all};
}

/// The sum over `width` neighbouring lanes, a power of two, in each of them; the same bits in all.
/// All lanes of the warp call it.
template <class Value>
__device__ __forceinline__ Value sum_lanes(Value value, unsigned int width = 32) {
  for (unsigned int offset = width / 2; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(~0u, value, offset);
  }
  return value;
}

/// Parts as sums about a pivot close to their means: those add up in any number at once, where the
/// pairwise formula takes step by step.
///
/// The pivot is the first part's mean. M2 about the common mean is then a difference, and as the
/// first part has one share in K of the elements, (pivot - mean)^2 <= K variance: at most log2(K)
/// bits of it are lost, and in any row that is not made for it none.
template <class Acc>
struct PivotSums {
  Acc count;
  Acc deviations;
  Acc squares;

  __device__ __forceinline__ void add(const PartMoments<Acc>& part, double pivot) {
    const Acc d = static_cast<Acc>(part.mean - pivot);
    const Acc deviation = d * part.count;
    count += part.count;
    deviations += deviation;
    squares += fma(d, deviation, part.m2);
  }

  __device__ __forceinline__ PartMoments<Acc> part(double pivot) const {
    if (count == 0) return {};
    const Acc d = quotient(deviations, count);
    const Acc m2 = fma(-d, deviations, squares);
    // Rounding may leave a constant row less than nothing. Written so that a NaN stays one.
    return {pivot + d, m2 < 0 ? Acc{0} : m2, count};
  }
};

/// The sums of `width` neighbouring lanes.
template <class Acc>
__device__ __forceinline__ PivotSums<Acc> sum_lanes(const PivotSums<Acc>& sums,
                                                    unsigned int width = 32) {
  return {sum_lanes(sums.count, width), sum_lanes(sums.deviations, width),
          sum_lanes(sums.squares, width)};
}

/// Merges `width` neighbouring lanes, a power of two, for each of them; the same bits in all. If
/// any of them has elements, the first has. All lanes of the warp call it.
template <class Acc>
__device__ __forceinline__ PartMoments<Acc> merge_lanes(const PartMoments<Acc>& part,
                                                        unsigned int width = 32) {
  const double pivot = __shfl_sync(~0u, part.mean, 0, static_cast<int>(width));
  PivotSums<Acc> sums{};
  sums.add(part, pivot);
  return sum_lanes(sums, width).part(pivot);
}

/// Merges one part of each thread of the block, in an order that depends on the block's size alone.
/// Valid in the first warp. Every thread of the block calls it.
template <class Acc>
__device__ __forceinline__ PartMoments<Acc> merge_block(PartMoments<Acc> part) {
  __shared__ PartMoments<Acc> of_warp[32];
  const unsigned int lane = threadIdx.x % 32;
  const unsigned int warp = threadIdx.x / 32;
  const unsigned int warps = blockDim.x / 32;
  part = merge_lanes(part);
  __syncthreads();  // The slots may still be read by the previous call's first warp.
  if (lane == 0) of_warp[warp] = part;
  __syncthreads();
  if (warp == 0) {
    part = lane < warps ? of_warp[lane] : PartMoments<Acc>{};
    part = merge_lanes(part);
  }
  return part;
}

/// What the second read needs of a row. The mean is carried in two parts: x - mean is then right to
/// the last bit also where |mean| >> std.
template <class Acc>
struct RowStatistics {
  Acc mean = 0;
  Acc mean_residual = 0;
  Acc rstd = 0;
};

/// In fp32 off by two units in the last place at most.
__device__ __forceinline__ float reciprocal_root(float value) { return rsqrtf(value); }
__device__ __forceinline__ double reciprocal_root(double value) { return 1.0 / sqrt(value); }

/// `spread` is the variance, or the mean square. One that exceeds the type makes the row NaN: with
/// an rstd of 0 it would look like a row that was normalised.
template <class Acc>
__device__ __forceinline__ Acc rstd_of(Acc spread, double eps) {
  if (isinf(spread)) return spread - spread;
  return reciprocal_root(spread + static_cast<Acc>(eps));
}

template <class Acc>
__device__ __forceinline__ RowStatistics<Acc> finish(double mean, Acc spread, double eps) {
  RowStatistics<Acc> row;
  row.mean = static_cast<Acc>(mean);
  row.mean_residual = static_cast<Acc>(mean - row.mean);
  row.rstd = rstd_of(spread, eps);
  return row;
}

template <class Acc>
__device__ __forceinline__ RowStatistics<Acc> finish(const PartMoments<Acc>& row,
                                                     Statistics statistics, double eps) {
  const Acc variance = quotient(row.m2, row.count);
  if (statistics == Statistics::mean_variance) return finish(row.mean, variance, eps);
  const Acc mean = static_cast<Acc>(row.mean);
  return finish(0.0, fma(mean, mean, variance), eps);
}

/// Thread 0's value for the whole block. Every thread of the block calls it.
template <class Acc>
__device__ __forceinline__ RowStatistics<Acc> broadcast(const RowStatistics<Acc>& mine) {
  __shared__ RowStatistics<Acc> shared;
  if (threadIdx.x == 0) shared = mine;
  __syncthreads();
  return shared;
}

}  // namespace fastnorm::cuda
