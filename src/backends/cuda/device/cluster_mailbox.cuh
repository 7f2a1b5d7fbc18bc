// SPDX-License-Identifier: Apache-2.0
/// The exchange of a team that is a cluster: its blocks write their parts of a row's moments into
/// each other's shared memory, where a barrier counts them. Nobody polls, and nothing needs to be
/// reset before a launch. (PTX ISA, "st.async" and "barrier.cluster".) For compute capability 9.0
/// and up.
#pragma once

#include "backends/cuda/device/barrier.cuh"
#include "backends/cuda/device/partial_message.cuh"
#include "backends/cuda/stream_row_kernel.hpp"

#include <cstdint>

namespace fastnorm::cuda {

#if __CUDA_ARCH__ >= 900

/// One block's. A block that has sent a row's part can be as many rows ahead of the slowest one as
/// both have in flight, so there is a place for each of those.
class ClusterMailbox {
 public:
  ClusterMailbox() = default;
  __device__ __forceinline__ ClusterMailbox(unsigned char* shared, int blocks)
      : come_(reinterpret_cast<Barrier*>(shared)),
        messages_(reinterpret_cast<PartialMessage*>(shared + sizeof(Barrier) * cluster_places)),
        blocks_(blocks) {}

  /// By one thread; then Barrier::publish_initialisations, and announce() by all.
  __device__ __forceinline__ void initialise() {
    for (int place = 0; place < cluster_places; ++place) come_[place].initialise(1);
  }

  /// Every thread tells the cluster that the block runs and is ready, once.
  static __device__ __forceinline__ void announce() {
    asm volatile("barrier.cluster.arrive.release;" ::: "memory");
  }
  /// After announce(), by whoever sends, and by every thread before leave().
  static __device__ __forceinline__ void await_others() {
    asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
  }
  /// Every thread, last of all: a block must be there as long as others write to it.
  static __device__ __forceinline__ void leave() {
    announce();
    await_others();
  }

  /// This block's part of the team's row `number` to each block. All lanes of a warp call it.
  __device__ __forceinline__ void send(int number, int rank, const PartialMessage& message) const {
    const int lane = static_cast<int>(threadIdx.x % 32);
    if (lane >= blocks_) return;
    const int place = number % cluster_places;
    send_to(lane, messages_ + place * blocks_ + rank, come_ + place, message);
  }

  /// To a place in block `block`, which is like this one's place `to`, where the barrier like
  /// `come` counts it.
  static __device__ __forceinline__ void send_to(int block, const PartialMessage* to,
                                                 const Barrier* come,
                                                 const PartialMessage& message) {
    asm volatile(
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b64 [%0], {%1, %2}, [%3];" ::"r"(
            in_block(to, block)),
        "l"(__double_as_longlong(message.mean)), "l"(__double_as_longlong(message.m2)),
        "r"(in_block(come, block))
        : "memory");
  }

  /// Those of all blocks, in the order of their ranks, for the lane of that number. All lanes of a
  /// warp call it, for one row after the other.
  __device__ __forceinline__ PartialMessage receive(int number) {
    const int lane = static_cast<int>(threadIdx.x % 32);
    const int place = number % cluster_places;
    Barrier& come = come_[place];
    if (lane == 0) {
      come.arrive_expecting(static_cast<unsigned int>(blocks_) * sizeof(PartialMessage));
    }
    come.wait_for_cluster(number / cluster_places % 2);
    return lane < blocks_ ? messages_[place * blocks_ + lane] : PartialMessage{};
  }

 private:
  /// The same place in block `rank` of the cluster.
  static __device__ __forceinline__ std::uint32_t in_block(const void* here, int rank) {
    std::uint32_t there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;"
        : "=r"(there)
        : "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(here))), "r"(rank));
    return there;
  }

  Barrier* come_ = nullptr;
  PartialMessage* messages_ = nullptr;
  int blocks_ = 0;
};

#endif

}  // namespace fastnorm::cuda
