// SPDX-License-Identifier: Apache-2.0
#include "tuner/faults.hpp"

#include <cuda_runtime_api.h>

namespace fastnorm::test {
namespace {

/// The address is no constant, so that the compiler leaves the store where it is.
__global__ void write_to(int* address) { *address = 1; }

__global__ void wait_for(const volatile int* never) {
  while (never == nullptr || *never == 0) __nanosleep(1000);
}

}  // namespace

Status enqueue_faulty_kernel(Fault fault, Stream stream) {
  const auto queue = static_cast<cudaStream_t>(stream.handle);
  if (fault == Fault::illegal_access) {
    write_to<<<1, 1, 0, queue>>>(nullptr);
  } else {
    wait_for<<<1, 1, 0, queue>>>(nullptr);
  }
  const cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess) return {};
  return {StatusCode::device_error, cudaGetErrorString(error)};
}

}  // namespace fastnorm::test
