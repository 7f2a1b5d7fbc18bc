// SPDX-License-Identifier: Apache-2.0
#include "spinning_grid.hpp"
#include "support/device_memory.hpp"
#include "time_limit.hpp"

namespace fastnorm::test {
namespace {

__device__ long long now_ns() {
  long long ns;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns));
  return ns;
}

__global__ void spin(volatile SpinningGrid::Flags* flags, unsigned int* started, long long first_ns,
                     long long step_ns) {
  const long long limit = now_ns() + first_ns + blockIdx.x * step_ns;
  if (atomicAdd(started, 1) == gridDim.x - 1) {
    flags->all_run = 1;
    __threadfence_system();
  }
  while (flags->end == 0 && now_ns() < limit) __nanosleep(2000);
}

cudaStream_t native(Stream stream) { return static_cast<cudaStream_t>(stream.handle); }

}  // namespace

SpinningGrid::SpinningGrid(Stream stream, int blocks, int shared_bytes, SpinLimits limits)
    : stream_(stream) {
  void* host = nullptr;
  void* device = nullptr;
  check_cuda(cudaHostAlloc(&host, sizeof(Flags), cudaHostAllocMapped), "cudaHostAlloc");
  flags_ = new (host) Flags{};
  check_cuda(cudaHostGetDevicePointer(&device, host, 0), "cudaHostGetDevicePointer");
  started_ = static_cast<unsigned int*>(device_memory().allocate(sizeof(unsigned int)));
  // A copy, since a test may be about the first memset.
  const unsigned int none = 0;
  device_memory().write(started_, &none, sizeof(none));
  check_cuda(cudaFuncSetAttribute(reinterpret_cast<const void*>(&spin),
                                  cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes),
             "cudaFuncSetAttribute");
  spin<<<static_cast<unsigned int>(blocks), 32, static_cast<std::size_t>(shared_bytes),
         native(stream)>>>(static_cast<volatile Flags*>(static_cast<Flags*>(device)), started_,
                           limits.first.count(), limits.step.count());
  check_cuda(cudaGetLastError(), "spin");
}

SpinningGrid::~SpinningGrid() {
  end();
  static_cast<void>(cudaStreamSynchronize(native(stream_)));
  device_memory().release(started_);
  static_cast<void>(cudaFreeHost(const_cast<Flags*>(flags_)));
}

bool SpinningGrid::runs_within(std::chrono::seconds limit) const {
  return happens_within(limit, [this] { return flags_->all_run != 0; });
}

bool SpinningGrid::running() const { return cudaStreamQuery(native(stream_)) == cudaErrorNotReady; }

void SpinningGrid::end() { flags_->end = 1; }

}  // namespace fastnorm::test
