/// The kernel of a plan, launched by a test: the plan's own grid and parameters with another
/// kernel in its place.
#pragma once

#include "backends/cuda/kernel_launch.hpp"
#include "support/device_memory.hpp"
#include "support/target.hpp"
#include "support/trial.hpp"

#include <fastnorm/plan.hpp>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

namespace fastnorm::test {

/// What a capture shows of an execution that has one kernel.
class CapturedKernel {
 public:
  CapturedKernel(const Plan& plan, const NormArgs& args, const GarbageWorkspace& workspace) {
    TargetStream stream;
    const auto native = static_cast<cudaStream_t>(stream.get().handle);
    check_cuda(cudaStreamBeginCapture(native, cudaStreamCaptureModeThreadLocal),
               "cudaStreamBeginCapture");
    status_ = plan.execute(args, workspace.data(), workspace.size(), stream.get());
    check_cuda(cudaStreamEndCapture(native, &graph_), "cudaStreamEndCapture");
    find_node();
  }
  ~CapturedKernel() { static_cast<void>(cudaGraphDestroy(graph_)); }
  CapturedKernel(const CapturedKernel&) = delete;
  CapturedKernel& operator=(const CapturedKernel&) = delete;

  const Status& status() const noexcept { return status_; }
  std::size_t kernels() const noexcept { return kernels_; }  ///< The rest is for exactly one.

  /// The launch with `kernel` instead.
  cuda::KernelLaunch launch_of(const void* kernel) const {
    cuda::KernelLaunch launch;
    launch.name = "the kernel in a plan's place";
    launch.kernel = kernel;
    launch.blocks = params_.gridDim.x;
    launch.threads = static_cast<int>(params_.blockDim.x);
    launch.shared_bytes = static_cast<int>(params_.sharedMemBytes);
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
    std::memcpy(&value, params_.kernelParams[index], sizeof(value));
    return value;
  }

 private:
  void find_node() {
    std::size_t count = 0;
    check_cuda(cudaGraphGetNodes(graph_, nullptr, &count), "cudaGraphGetNodes");
    std::vector<cudaGraphNode_t> nodes(count);
    if (count > 0) check_cuda(cudaGraphGetNodes(graph_, nodes.data(), &count), "cudaGraphGetNodes");
    for (const cudaGraphNode_t node : nodes) {
      cudaGraphNodeType type{};
      check_cuda(cudaGraphNodeGetType(node, &type), "cudaGraphNodeGetType");
      if (type != cudaGraphNodeTypeKernel) continue;
      ++kernels_;
      node_ = node;
      check_cuda(cudaGraphKernelNodeGetParams(node, &params_), "cudaGraphKernelNodeGetParams");
    }
  }

  cudaLaunchAttributeValue attribute(cudaLaunchAttributeID id) const {
    cudaLaunchAttributeValue value{};
    check_cuda(cudaGraphKernelNodeGetAttribute(node_, id, &value),
               "cudaGraphKernelNodeGetAttribute");
    return value;
  }

  Status status_;
  cudaGraph_t graph_ = nullptr;
  cudaGraphNode_t node_ = nullptr;
  cudaKernelNodeParams params_{};
  std::size_t kernels_ = 0;
};

}  // namespace fastnorm::test
