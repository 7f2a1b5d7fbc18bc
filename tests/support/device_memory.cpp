// SPDX-License-Identifier: Apache-2.0
#include "support/device_memory.hpp"

#include <cuda_runtime_api.h>

#include <stdexcept>

namespace fastnorm::test {
namespace {

class DeviceMemory final : public Memory {
 public:
  MemorySpace space() const noexcept override { return MemorySpace::device; }

  void* allocate(std::size_t bytes) override {
    void* pointer = nullptr;
    check_cuda(cudaMalloc(&pointer, bytes), "cudaMalloc");
    return pointer;
  }

  void release(void* pointer) noexcept override { static_cast<void>(cudaFree(pointer)); }

  void write(void* to, const void* from, std::size_t bytes) override {
    check_cuda(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "cudaMemcpy to the device");
    // From pageable memory the copy may return before the data has arrived, and non-blocking
    // streams would not wait for it.
    check_cuda(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
  }

  void read(void* to, const void* from, std::size_t bytes) override {
    // Streams of a test may be non-blocking, for which the copy alone would not wait.
    check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    check_cuda(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy from the device");
  }
};

}  // namespace

void check_cuda(int error, const char* what) {
  if (error == cudaSuccess) return;
  throw std::runtime_error(std::string(what) + ": " +
                           cudaGetErrorString(static_cast<cudaError_t>(error)));
}

std::string why_no_device() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess) return std::string("no CUDA device: ") + cudaGetErrorString(error);
  return count > 0 ? std::string() : std::string("no CUDA device: the driver lists none");
}

Memory& device_memory() {
  static DeviceMemory memory;
  return memory;
}

}  // namespace fastnorm::test
