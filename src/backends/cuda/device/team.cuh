/// Threads that hold a row together, and how they add up: every thread has the total, and the same
/// bits of it, since an addition does not depend on its operands' order.
#pragma once

namespace fastnorm::cuda {

namespace team_detail {

/// As sum_lanes(), of several sums at a time: their shuffles wait for nothing but the last step.
template <class Acc, int kSums>
__device__ __forceinline__ void add_lanes(Acc (&sums)[kSums], int lanes) {
  for (int offset = lanes / 2; offset > 0; offset /= 2) {
#pragma unroll
    for (int s = 0; s < kSums; ++s) sums[s] += __shfl_xor_sync(~0u, sums[s], offset);
  }
}

}  // namespace team_detail

/// Neighbouring lanes, a power of two of them. A warp has several teams, and none waits for
/// another warp. All lanes of a warp call the members, those without a row as well.
class LaneTeam {
 public:
  explicit __device__ __forceinline__ LaneTeam(int lanes) : lanes_(lanes) {}

  __device__ __forceinline__ int size() const { return lanes_; }
  __device__ __forceinline__ int rank() const {
    return static_cast<int>(threadIdx.x) & (lanes_ - 1);
  }

  template <class Acc, int kSums>
  __device__ __forceinline__ void add_up(Acc (&sums)[kSums]) const {
    team_detail::add_lanes(sums, lanes_);
  }

  /// The first thread's value.
  template <class Acc>
  __device__ __forceinline__ Acc first(Acc value) const {
    return __shfl_sync(~0u, value, 0, lanes_);
  }

 private:
  int lanes_;
};

/// A block. All of its threads call the members.
class BlockTeam {
 public:
  __device__ __forceinline__ int size() const { return static_cast<int>(blockDim.x); }
  __device__ __forceinline__ int rank() const { return static_cast<int>(threadIdx.x); }

  /// Once for each number of sums, unless a barrier lies between: the slots may still be read.
  template <class Acc, int kSums>
  __device__ __forceinline__ void add_up(Acc (&sums)[kSums]) const {
    constexpr int kWarps = 32;
    __shared__ Acc of_warp[kSums][kWarps];
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const int warps = static_cast<int>(blockDim.x) / 32;
    team_detail::add_lanes(sums, 32);
    if (lane == 0) {
#pragma unroll
      for (int s = 0; s < kSums; ++s) of_warp[s][warp] = sums[s];
    }
    __syncthreads();
    // Each warp for itself: that is cheaper than one more barrier.
#pragma unroll
    for (int s = 0; s < kSums; ++s) sums[s] = lane < warps ? of_warp[s][lane] : Acc{0};
    team_detail::add_lanes(sums, kWarps);
  }
};

}  // namespace fastnorm::cuda
