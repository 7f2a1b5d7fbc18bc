// SPDX-License-Identifier: Apache-2.0
#include "support/device_memory.hpp"
#include "support/target.hpp"

#include <cuda_runtime_api.h>

namespace fastnorm::test {

MemorySpace target_space() noexcept { return MemorySpace::device; }
Memory& target_memory() { return device_memory(); }
std::string why_no_target() { return why_no_device(); }

TargetStream::TargetStream() {
  cudaStream_t stream = nullptr;
  check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
  stream_.handle = stream;
}

TargetStream::~TargetStream() {
  static_cast<void>(cudaStreamDestroy(static_cast<cudaStream_t>(stream_.handle)));
}

void TargetStream::synchronize() {
  check_cuda(cudaStreamSynchronize(static_cast<cudaStream_t>(stream_.handle)),
             "cudaStreamSynchronize");
}

}  // namespace fastnorm::test
