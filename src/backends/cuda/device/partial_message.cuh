// SPDX-License-Identifier: Apache-2.0
/// A block's part of a row's moments, sent to the other blocks of its team while all are running.
///
/// One relaxed store of 16 bytes carries it whole, and no fence goes with it: a release would wait
/// for all of the block's outstanding output stores, which have nothing to do with it. Readers poll
/// the place until it no longer holds the sentinel that it was filled with.
#pragma once

#include "backends/cuda/device/moments.cuh"
#include "backends/cuda/messages.hpp"

#include <cstdint>

namespace fastnorm::cuda {

struct alignas(16) PartialMessage {
  double mean;
  double m2;

  template <class Acc>
  static __device__ __forceinline__ PartialMessage of(const PartMoments<Acc>& part) {
    // Any NaN of arithmetic becomes the plain one, which the sentinel is not.
    const double m2 = part.m2;
    return {part.mean(), isnan(m2) ? __longlong_as_double(0x7FF8000000000000LL) : m2};
  }

  /// One that has not come.
  static __device__ __forceinline__ PartialMessage awaited() {
    return {0, __longlong_as_double(-1LL)};
  }

  /// Without its mean, which is told apart.
  template <class Acc>
  __device__ __forceinline__ PartMoments<Acc> part(Acc count) const {
    return {0, 0, static_cast<Acc>(m2), count};
  }

  /// Told by m2, which is never the sentinel: the two halves come together.
  __device__ __forceinline__ bool has_come() const { return __double_as_longlong(m2) != -1LL; }

  __device__ __forceinline__ void send(PartialMessage* to) const {
    asm volatile(
        "{\n"
        ".reg .b128 message;\n"
        "mov.b128 message, {%1, %2};\n"
        "st.relaxed.gpu.global.b128 [%0], message;\n"
        "}" ::"l"(to),
        "l"(__double_as_longlong(mean)), "l"(__double_as_longlong(m2))
        : "memory");
  }

  static __device__ __forceinline__ PartialMessage poll(const PartialMessage* from) {
    long long mean_bits;
    long long m2_bits;
    asm volatile(
        "{\n"
        ".reg .b128 message;\n"
        "ld.relaxed.gpu.global.b128 message, [%2];\n"
        "mov.b128 {%0, %1}, message;\n"
        "}"
        : "=l"(mean_bits), "=l"(m2_bits)
        : "l"(from)
        : "memory");
    return {__longlong_as_double(mean_bits), __longlong_as_double(m2_bits)};
  }
};

static_assert(sizeof(PartialMessage) == message_bytes);

/// Merges messages, those of sender lane + 32 i in place i of the lane, in an order that depends on
/// their number alone; for every lane. All lanes of the warp call it.
template <class Acc, int kEach>
__device__ __forceinline__ PartMoments<Acc> merge_messages(const PartialMessage (&held)[kEach],
                                                           const Acc (&counts)[kEach],
                                                           int senders) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const double pivot = __shfl_sync(~0u, held[0].mean, 0);
  PivotSums<Acc> sums;
  Acc count = 0;
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    if (lane + 32 * i < senders) {
      sums.add(held[i].template part<Acc>(counts[i]), static_cast<Acc>(held[i].mean - pivot));
      count += counts[i];
    }
  }
  const Acc rounded = static_cast<Acc>(pivot);
  sum_lanes(32, sums.deviations, sums.squares, count);
  return sums.settle(rounded, static_cast<Acc>(pivot - rounded), count);
}

/// Waits for the messages of `senders` blocks, of `count_of(sender)` elements each, and merges
/// them. Each lane waits for several at once. All lanes of the warp call it.
template <int kMostSenders, class Acc, class CountOf>
__device__ __forceinline__ PartMoments<Acc> receive(const PartialMessage* messages, int senders,
                                                    CountOf&& count_of) {
  constexpr int kEach = (kMostSenders + 31) / 32;
  const int lane = static_cast<int>(threadIdx.x % 32);
  // Whatever can be had before the messages are there. Lanes without a sender have all they wait
  // for.
  Acc counts[kEach];
  PartialMessage held[kEach];
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    const bool is_sender = lane + 32 * i < senders;
    counts[i] = is_sender ? count_of(lane + 32 * i) : Acc{0};
    held[i] = is_sender ? PartialMessage::awaited() : PartialMessage{};
  }
  bool waiting = true;
  while (waiting) {
    // Those that have come are not asked for again: a team's blocks all read the same few lines,
    // which the last senders have yet to write.
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      if (!held[i].has_come()) held[i] = PartialMessage::poll(messages + lane + 32 * i);
    }
    waiting = false;
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      if (!held[i].has_come()) waiting = true;
    }
  }
  __syncwarp();
  return merge_messages(held, counts, senders);
}

}  // namespace fastnorm::cuda
