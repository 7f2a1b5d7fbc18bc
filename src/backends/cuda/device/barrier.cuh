// SPDX-License-Identifier: Apache-2.0
/// Hopper's shared-memory barriers and the copies that report to them (PTX ISA, "mbarrier",
/// "cp.async.bulk" and "cp.async"). For compute capability 9.0 and up; below, nothing here may be
/// called.
#pragma once

#include "backends/cuda/device/vector_io.cuh"

#include <cstdint>

namespace fastnorm::cuda {

/// A barrier that is passed again and again: a phase ends when `expected` arrivals have been
/// counted and all bytes that were announced have come. Phases alternate in parity; a barrier
/// begins in phase 0, and waiting for parity 1 then passes at once, as if an earlier phase had
/// ended.
///
/// What a thread did before it arrived is visible to whoever has waited for that phase.
class Barrier {
 public:
  __device__ __forceinline__ void initialise(int expected) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address()), "r"(expected)
                 : "memory");
  }

  /// After the initialisations, by each thread that did some; a block barrier must follow.
  static __device__ __forceinline__ void publish_initialisations() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }

  __device__ __forceinline__ void arrive(int times = 1) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0], %1;" ::"r"(address()), "r"(times)
                 : "memory");
  }

  /// Arrives, and announces bytes.
  __device__ __forceinline__ void arrive_expecting(unsigned int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address()),
                 "r"(bytes)
                 : "memory");
  }

  __device__ __forceinline__ void wait(unsigned int parity) {
    asm volatile(
        "{\n"
        ".reg .pred passed;\n"
        "again_%=:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 passed, [%0], %1, %2;\n"
        "@!passed bra again_%=;\n"
        "}" ::"r"(address()),
        "r"(parity), "r"(suspension_ns)
        : "memory");
  }

  /// The same where other blocks of the cluster wrote what is waited for.
  __device__ __forceinline__ void wait_for_cluster(unsigned int parity) {
    asm volatile(
        "{\n"
        ".reg .pred passed;\n"
        "again_%=:\n"
        "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 passed, [%0], %1, %2;\n"
        "@!passed bra again_%=;\n"
        "}" ::"r"(address()),
        "r"(parity), "r"(suspension_ns)
        : "memory");
  }

  /// Starts a copy of `bytes` (a multiple of 16; both sides aligned to 16) that arrives here.
  __device__ __forceinline__ void copy(void* shared, const void* global, unsigned int bytes,
                                       CachePolicy hint) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
        "[%0], [%1], %2, [%3], %4;" ::"r"(shared_address(shared)),
        "l"(global), "r"(bytes), "r"(address()), "l"(hint.bits())
        : "memory");
  }

  /// Starts this thread's copy of 16 bytes, both sides aligned to them.
  static __device__ __forceinline__ void copy_vector(void* shared, const void* global,
                                                     CachePolicy hint) {
    asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;" ::"r"(
                     shared_address(shared)),
                 "l"(global), "l"(hint.bits())
                 : "memory");
  }
  /// Arrives once all of the thread's copies have come.
  __device__ __forceinline__ void arrive_after_copies() {
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(address())
                 : "memory");
  }

 private:
  /// What a waiting thread may sleep before it looks again by itself; the phase's end wakes it.
  /// Without it, it looks every twenty cycles, and takes the others' turns with that.
  static constexpr unsigned int suspension_ns = 1000000;

  static __device__ __forceinline__ std::uint32_t shared_address(const void* shared) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
  }
  __device__ __forceinline__ std::uint32_t address() const { return shared_address(this); }

  std::uint64_t state_;
};

/// Calls initialise(i) for each 0 <= i < count. The first thread of every warp of the block calls
/// it, and takes its share: the lanes of one warp would take turns at each barrier. In little code,
/// which nobody has in a cache when a kernel begins.
template <class Initialise>
__device__ __forceinline__ void share_initialisations(int count, Initialise&& initialise) {
  const int warps = static_cast<int>(blockDim.x / 32);
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x / 32); i < count; i += warps) initialise(i);
}

}  // namespace fastnorm::cuda
