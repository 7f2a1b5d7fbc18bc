// SPDX-License-Identifier: Apache-2.0
/// The hot path: plan once, execute often on a stream, with a workspace of one's own.
#include <fastnorm/fastnorm.hpp>

#include <cuda_runtime_api.h>

#include <cstdio>
#include <memory>
#include <string>

namespace {

struct CudaFree {
  void operator()(void* memory) const { cudaFree(memory); }
};
using DeviceMemory = std::unique_ptr<void, CudaFree>;

/// Null if there is no memory left.
DeviceMemory allocate(std::size_t bytes) {
  void* memory = nullptr;
  return DeviceMemory(cudaMalloc(&memory, bytes) == cudaSuccess ? memory : nullptr);
}

int fail(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  return 1;
}

}  // namespace

int main() {
  fastnorm::NormDesc desc;
  desc.op = fastnorm::Op::group_norm;
  desc.extents = {16, 64, 128, 128};
  desc.groups = 8;
  constexpr std::size_t bytes = sizeof(float) * 16 * 64 * 128 * 128;

  fastnorm::PlanOptions options;
  options.memory = fastnorm::MemorySpace::device;
  const fastnorm::Result<fastnorm::Plan> created = fastnorm::Plan::create(desc, options);
  if (!created.ok()) return fail(created.status().message());
  const fastnorm::Plan& plan = created.value();
  std::printf("%s\n", plan.describe().c_str());

  const DeviceMemory x = allocate(bytes);
  const DeviceMemory y = allocate(bytes);
  const DeviceMemory workspace = allocate(plan.workspace_bytes());
  if (!x || !y || (!workspace && plan.workspace_bytes() > 0)) return fail("out of device memory");
  if (cudaMemset(x.get(), 0, bytes) != cudaSuccess) return fail("cudaMemset failed");
  cudaStream_t stream = nullptr;
  if (cudaStreamCreate(&stream) != cudaSuccess) return fail("cudaStreamCreate failed");

  fastnorm::NormArgs args;
  args.x = x.get();
  args.y = y.get();
  for (int i = 0; i < 10; ++i) {
    const fastnorm::Status status =
        plan.execute(args, workspace.get(), plan.workspace_bytes(), {stream});
    if (!status.ok()) return fail(status.message());
  }
  const cudaError_t finished = cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
  return finished == cudaSuccess ? 0 : fail(cudaGetErrorString(finished));
}
