// SPDX-License-Identifier: Apache-2.0
#include "compare_outputs.hpp"
#include "support/device_memory.hpp"

namespace fastnorm::test {
namespace {

constexpr std::uint16_t poison = 0xFFFF;  // Of each type's elements, a NaN.

struct OutputList {
  ComparedOutput of[ComparedOutputs{}.size()];
};

__global__ void compare_and_poison(const OutputList outputs, std::uint32_t launch,
                                   Differences* found) {
  const std::size_t first = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
  const std::size_t step = gridDim.x * static_cast<std::size_t>(blockDim.x);
  unsigned long long different = 0;
  for (const ComparedOutput& output : outputs.of) {
    for (std::size_t i = first; i < output.halfwords; i += step) {
      if (output.now[i] != output.expected[i]) ++different;
      output.now[i] = poison;
    }
  }
  if (different == 0) return;
  static_assert(sizeof(found->halfwords) == sizeof(different));
  atomicAdd(reinterpret_cast<unsigned long long*>(&found->halfwords), different);
  atomicMin(&found->first_launch, launch);
}

}  // namespace

void enqueue_comparison(const ComparedOutputs& outputs, std::uint32_t launch, Differences* found,
                        Stream stream) {
  OutputList list;
  for (std::size_t i = 0; i < outputs.size(); ++i) list.of[i] = outputs[i];
  // Few blocks, so that the other streams' kernels find room beside them.
  constexpr unsigned int blocks = 32;
  constexpr unsigned int threads = 512;
  compare_and_poison<<<blocks, threads, 0, static_cast<cudaStream_t>(stream.handle)>>>(list, launch,
                                                                                       found);
  check_cuda(cudaGetLastError(), "compare_and_poison");
}

}  // namespace fastnorm::test
