// SPDX-License-Identifier: Apache-2.0
#include "field_cases/countdown.hpp"
#include "support/device_memory.hpp"

namespace fastnorm::test {
namespace {

__global__ void count_down(cudaGraphConditionalHandle condition, unsigned int* left) {
  *left -= 1;
  cudaGraphSetConditional(condition, *left > 0 ? 1 : 0);
}

}  // namespace

Countdown::Countdown() {
  cudaFuncAttributes attributes{};
  check_cuda(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(&count_down)),
             "cudaFuncGetAttributes");
}

void Countdown::enqueue(cudaGraphConditionalHandle condition, Stream stream) const {
  count_down<<<1, 1, 0, static_cast<cudaStream_t>(stream.handle)>>>(condition, left_.data());
  check_cuda(cudaGetLastError(), "count_down");
}

}  // namespace fastnorm::test
