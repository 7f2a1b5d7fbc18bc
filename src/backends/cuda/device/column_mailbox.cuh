// SPDX-License-Identifier: Apache-2.0
/// The exchange of a team that is a cluster, whose blocks write their parts of a tile's groups into
/// each other's shared memory. (PTX ISA, "st.async" and "barrier.cluster".) For compute capability
/// 9.0 and up.
#pragma once

#include "backends/cuda/device/barrier.cuh"
#include "backends/cuda/device/cluster_mailbox.cuh"
#include "backends/cuda/device/partial_message.cuh"

#include <cstdint>

namespace fastnorm::cuda {

/// Two tiles' messages: a block that sends those of the next tile but one has received all of the
/// next one's, whose senders had read this one's.
inline constexpr int column_mailbox_places = 2;

constexpr int column_mailbox_bytes(int pieces, int blocks) {
  return column_mailbox_places * (16 + message_bytes * pieces * blocks);
}

#if __CUDA_ARCH__ >= 900

/// One block's: for each place a barrier, then messages[piece][sender].
class ColumnMailbox {
 public:
  __device__ __forceinline__ ColumnMailbox(unsigned char* shared, int pieces, int blocks)
      : shared_(shared), place_bytes_(16 + message_bytes * pieces * blocks), blocks_(blocks) {}

  /// By one thread; then Barrier::publish_initialisations and ClusterMailbox::announce.
  __device__ __forceinline__ void initialise() const {
    for (int number = 0; number < column_mailbox_places; ++number) come(number).initialise(1);
  }

  /// This block's part of a piece of tile `number`, to each block of the team.
  __device__ __forceinline__ void send(int number, int piece, int rank,
                                       const PartialMessage& message) const {
    for (int block = 0; block < blocks_; ++block) {
      ClusterMailbox::send_to(block, messages(number) + piece * blocks_ + rank, &come(number),
                              message);
    }
  }

  /// By one thread, once a tile: so many pieces will come from each block.
  __device__ __forceinline__ void expect(int number, int pieces) const {
    come(number).arrive_expecting(static_cast<unsigned int>(pieces * blocks_) *
                                  sizeof(PartialMessage));
  }

  __device__ __forceinline__ void await(int number) const {
    come(number).wait_for_cluster(static_cast<unsigned int>(number / column_mailbox_places) % 2);
  }

  /// After await().
  __device__ __forceinline__ const PartialMessage* of_piece(int number, int piece) const {
    return messages(number) + piece * blocks_;
  }

 private:
  __device__ __forceinline__ Barrier& come(int number) const {
    return *reinterpret_cast<Barrier*>(shared_ + number % column_mailbox_places * place_bytes_);
  }
  __device__ __forceinline__ PartialMessage* messages(int number) const {
    return reinterpret_cast<PartialMessage*>(shared_ +
                                             number % column_mailbox_places * place_bytes_ + 16);
  }

  unsigned char* shared_;
  int place_bytes_;
  int blocks_;
};

#endif

}  // namespace fastnorm::cuda
