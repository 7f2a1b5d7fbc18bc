// SPDX-License-Identifier: Apache-2.0
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
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace fastnorm::test {

/// What a capture shows of an execution that has one kernel, or several.
class CapturedKernel {
 public:
  CapturedKernel(const Plan& plan, const NormArgs& args, const GarbageWorkspace& workspace) {
    graph_.begin();
    status_ = plan.execute(args, workspace.data(), workspace.size(), stream_.get());
    graph_.end();
    kernels_ = graph_.kernels();
  }

  const Status& status() const noexcept { return status_; }
  std::size_t kernels() const noexcept { return kernels_.size(); }

  /// Blocks that a launch needs resident at once: the most of any.
  std::int64_t blocks_at_once() const {
    std::int64_t most = 0;
    for (const CapturedGraph::Kernel& kernel : kernels_) {
      most = std::max(most, launch_of(kernel, nullptr).blocks_at_once());
    }
    return most;
  }

  // The rest is for exactly one.

  std::string name() const { return kernels_.front().name(); }

  /// The launch with `kernel` instead.
  cuda::KernelLaunch launch_of(const void* kernel) const {
    return launch_of(kernels_.front(), kernel);
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

  static cuda::KernelLaunch launch_of(const CapturedGraph::Kernel& captured, const void* kernel) {
    cuda::KernelLaunch launch;
    launch.name = "the kernel in a plan's place";
    launch.kernel = kernel;
    launch.blocks = captured.params.gridDim.x;
    launch.threads = static_cast<int>(captured.params.blockDim.x);
    launch.shared_bytes = static_cast<int>(captured.params.sharedMemBytes);
    const auto cluster = attribute(captured, cudaLaunchAttributeClusterDimension).clusterDim.x;
    launch.cluster_blocks = static_cast<int>(std::max(1U, cluster));
    const bool cooperative = attribute(captured, cudaLaunchAttributeCooperative).cooperative != 0;
    launch.grid = cooperative ? cuda::GridKind::cooperative : cuda::GridKind::independent;
    return launch;
  }

  static cudaLaunchAttributeValue attribute(const CapturedGraph::Kernel& captured,
                                            cudaLaunchAttributeID id) {
    cudaLaunchAttributeValue value{};
    check_cuda(cudaGraphKernelNodeGetAttribute(captured.node, id, &value),
               "cudaGraphKernelNodeGetAttribute");
    return value;
  }

  TargetStream stream_;
  CapturedGraph graph_{stream_.get()};
  Status status_;
  std::vector<CapturedGraph::Kernel> kernels_;
};

}  // namespace fastnorm::test
