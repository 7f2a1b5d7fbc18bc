/// Mean and centred second moment: of a thread's elements, merged over a block, finished to rstd.
///
/// Nowhere is E[x^2] - mean^2 formed, which cancels when the mean is large. Merging two sets a and
/// b is Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for computing sample
/// variances" (1979): with delta = mean_b - mean_a and w = n_b / (n_a + n_b),
///     mean = mean_a + delta w        M2 = M2_a + M2_b + delta^2 n_a w
#pragma once

namespace fastnorm::cuda {

/// One thread's elements, taken in chunks that sit in registers: a chunk's mean and M2 are formed
/// by two passes over it, so the merge costs a chunk and not an element.
///
/// All of it is done on x - pivot, with the thread's first element as pivot: where |mean| >> std
/// the subtraction is exact, and what is rounded after it is of the size of std. Should the pivot
/// be an outlier, only this one thread's part of the row meets the coarser grid of numbers around
/// it.
struct ThreadMoments {
  float count = 0;
  float pivot = 0;
  float mean = 0;  ///< Of x - pivot.
  float m2 = 0;

  template <int kChunk>
  __device__ __forceinline__ void add(const float (&values)[kChunk]) {
    if (count == 0) pivot = values[0];
    // Four chains: fewer dependent additions, and a smaller error than one.
    constexpr int kChains = kChunk < 4 ? kChunk : 4;
    float shifted[kChunk];
    float sums[kChains] = {};
#pragma unroll
    for (int k = 0; k < kChunk; ++k) {
      shifted[k] = values[k] - pivot;
      sums[k % kChains] += shifted[k];
    }
    const float chunk_mean = total(sums) * (1.0f / kChunk);
    float squares[kChains] = {};
#pragma unroll
    for (int k = 0; k < kChunk; ++k) {
      const float d = shifted[k] - chunk_mean;
      squares[k % kChains] = fmaf(d, d, squares[k % kChains]);
    }
    merge(kChunk, chunk_mean, total(squares));
  }

  /// Adds the first `present` of the values; at least one.
  template <int kChunk>
  __device__ __forceinline__ void add_some(const float (&values)[kChunk], int present) {
    if (count == 0) pivot = values[0];
    float sum = 0;
#pragma unroll
    for (int k = 0; k < kChunk; ++k) sum += k < present ? values[k] - pivot : 0.0f;
    const float chunk_count = static_cast<float>(present);
    const float chunk_mean = sum / chunk_count;
    float chunk_m2 = 0;
#pragma unroll
    for (int k = 0; k < kChunk; ++k) {
      const float d = (values[k] - pivot) - chunk_mean;
      if (k < present) chunk_m2 = fmaf(d, d, chunk_m2);
    }
    merge(chunk_count, chunk_mean, chunk_m2);
  }

 private:
  template <int kChains>
  static __device__ __forceinline__ float total(const float (&chains)[kChains]) {
    if constexpr (kChains == 4) {
      return (chains[0] + chains[1]) + (chains[2] + chains[3]);
    } else if constexpr (kChains == 2) {
      return chains[0] + chains[1];
    } else {
      return chains[0];
    }
  }

  __device__ __forceinline__ void merge(float other_count, float other_mean, float other_m2) {
    const float all = count + other_count;
    // An approximate quotient moves the mean by a rounding of delta, which is small beside the
    // deviation; only for the first chunk is delta the mean itself.
    const float w = count == 0 ? 1.0f : __fdividef(other_count, all);
    const float delta = other_mean - mean;
    mean = fmaf(delta, w, mean);
    m2 += other_m2 + (delta * count) * (delta * w);
    count = all;
  }
};

/// What threads, warps and blocks hand on. The mean is fp64: the merges are few, and in fp32 each
/// would round the mean by up to half a unit, which a row with |mean| >> std cannot afford.
struct alignas(16) PartMoments {
  double mean = 0;
  float m2 = 0;
  float count = 0;
};

__device__ __forceinline__ PartMoments to_part(const ThreadMoments& thread) {
  return {static_cast<double>(thread.pivot) + thread.mean, thread.m2, thread.count};
}

/// Branch-free: short rows spend much of their time here. The quotient may be approximate except
/// where it must be 1, as in ThreadMoments.
__device__ __forceinline__ PartMoments merge(const PartMoments& a, const PartMoments& b) {
  const float all = a.count + b.count;
  const float quotient = a.count == 0 ? 1.0f : __fdividef(b.count, all);
  const float w = b.count == 0 ? 0.0f : quotient;
  const double delta = b.mean - a.mean;
  const float d = static_cast<float>(delta);
  return {fma(delta, static_cast<double>(w), a.mean), a.m2 + b.m2 + (d * a.count) * (d * w), all};
}

/// Merges one part of each thread of the block, in an order that depends on the block's size alone.
/// Valid in thread 0. Every thread of the block calls it.
__device__ __forceinline__ PartMoments merge_block(PartMoments part) {
  __shared__ PartMoments of_warp[32];
  const unsigned int lane = threadIdx.x % 32;
  const unsigned int warp = threadIdx.x / 32;
  const unsigned int warps = blockDim.x / 32;
  const auto merge_warp = [&part](unsigned int width) {
    for (unsigned int offset = width / 2; offset > 0; offset /= 2) {
      PartMoments other;
      other.mean = __shfl_down_sync(~0u, part.mean, offset);
      other.m2 = __shfl_down_sync(~0u, part.m2, offset);
      other.count = __shfl_down_sync(~0u, part.count, offset);
      part = merge(part, other);
    }
  };
  merge_warp(32);
  __syncthreads();  // The slots may still be read by the previous call's first warp.
  if (lane == 0) of_warp[warp] = part;
  __syncthreads();
  if (warp == 0) {
    part = lane < warps ? of_warp[lane] : PartMoments{};
    merge_warp(32);
  }
  return part;
}

/// What the second read needs of a row. The mean is carried in two parts: x - mean is then right to
/// the last bit also where |mean| >> std.
struct RowStatistics {
  float mean = 0;
  float mean_residual = 0;
  float rstd = 0;
};

__device__ __forceinline__ RowStatistics finish(double mean, float variance, float eps) {
  RowStatistics row;
  row.mean = static_cast<float>(mean);
  row.mean_residual = static_cast<float>(mean - row.mean);
  row.rstd = 1.0f / sqrtf(variance + eps);
  return row;
}

__device__ __forceinline__ RowStatistics finish(const PartMoments& row, float eps) {
  return finish(row.mean, row.m2 / row.count, eps);
}

/// Thread 0's value for the whole block. Every thread of the block calls it.
__device__ __forceinline__ RowStatistics broadcast(const RowStatistics& mine) {
  __shared__ RowStatistics shared;
  if (threadIdx.x == 0) shared = mine;
  __syncthreads();
  return shared;
}

}  // namespace fastnorm::cuda
