/// The kernel of a plan, launched by a test: the plan's own grid and parameters with another
/// kernel in its place.
#pragma once

#include "backends/cuda/kernel_launch.hpp"
#include "support/captured_graph.hpp"
#include "support/device_memory.hpp"
#include "support/target.hpp"
#include "support/trial.hpp"

#include <fastnorm/plan.hpp>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace fastnorm::test {

/// What a capture shows of an execution that has one kernel.
class CapturedKernel {
 public:
  CapturedKernel(const Plan& plan, const NormArgs& args, const GarbageWorkspace& workspace) {
    graph_.begin();
    status_ = plan.execute(args, workspace.data(), workspace.size(), stream_.get());
    graph_.end();
    kernels_ = graph_.kernels();
  }

  const Status& status() const noexcept { return status_; }
  /// The rest is for exactly one.
  std::size_t kernels() const noexcept { return kernels_.size(); }

  std::string name() const { return kernels_.front().name(); }

  /// The launch with `kernel` instead.
  cuda::KernelLaunch launch_of(const void* kernel) const {
    cuda::KernelLaunch launch;
    launch.name = "the kernel in a plan's place";
    launch.kernel = kernel;
    launch.blocks = params().gridDim.x;
    launch.threads = static_cast<int>(params().blockDim.x);
    launch.shared_bytes = static_cast<int>(params().sharedMemBytes);
    const auto cluster = attribute(cudaLaunchAttributeClusterDimension).clusterDim.x;
    launch.cluster_blocks = static_cast<int>(std::max(1U, cluster));
    const bool cooperative = attribute(cudaLaunchAttributeCooperative).cooperative != 0;
    launch.grid = cooperative ? cuda::GridKind::cooperative : cuda::GridKind::independent;
    return launch;
  }

  template <class Value>
  Value parameter(int index) const {
    static_assert(std::is_trivially_copyable_v<Value>);
    Value value;
    std::memcpy(&value, params().kernelParams[index], sizeof(value));
    return value;
  }

 private:
  const cudaKernelNodeParams& params() const { return kernels_.front().params; }

  cudaLaunchAttributeValue attribute(cudaLaunchAttributeID id) const {
    cudaLaunchAttributeValue value{};
    check_cuda(cudaGraphKernelNodeGetAttribute(kernels_.front().node, id, &value),
               "cudaGraphKernelNodeGetAttribute");
    return value;
  }

  TargetStream stream_;
  CapturedGraph graph_{stream_.get()};
  Status status_;
  std::vector<CapturedGraph::Kernel> kernels_;
};

}  // namespace fastnorm::test
