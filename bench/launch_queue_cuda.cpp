// SPDX-License-Identifier: Apache-2.0
#include "launch_queue.hpp"

#include <cuda_runtime_api.h>

#include <string>
#include <utility>
#include <vector>

namespace fastnorm::bench {
namespace {

Status failure(const char* what, cudaError_t error) {
  return Status(StatusCode::device_error, std::string(what) + ": " + cudaGetErrorString(error));
}

struct DestroyGraph {
  void operator()(cudaGraph_t graph) const { cudaGraphDestroy(graph); }
};
using Graph = std::shared_ptr<std::remove_pointer_t<cudaGraph_t>>;

/// What a plan enqueues, taken from a capture of it. The graph owns the kernels' arguments.
struct CapturedWork {
  Graph graph;
  std::vector<cudaKernelNodeParams> kernels;
  std::vector<cudaMemsetParams> memsets;
};

Result<Graph> capture(const Plan& plan, const NormArgs& args, void* workspace,
                      cudaStream_t stream) {
  cudaError_t error = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  if (error != cudaSuccess) return failure("cudaStreamBeginCapture", error);
  const Status executed = plan.execute(args, workspace, plan.workspace_bytes(), Stream{stream});
  cudaGraph_t graph = nullptr;
  error = cudaStreamEndCapture(stream, &graph);
  Graph owner(graph, DestroyGraph{});
  if (!executed.ok()) return executed;
  if (error != cudaSuccess) return failure("cudaStreamEndCapture", error);
  return owner;
}

Result<CapturedWork> take_apart(Graph graph) {
  std::size_t count = 0;
  cudaError_t error = cudaGraphGetNodes(graph.get(), nullptr, &count);
  if (error != cudaSuccess) return failure("cudaGraphGetNodes", error);
  std::vector<cudaGraphNode_t> nodes(count);
  error = cudaGraphGetNodes(graph.get(), nodes.data(), &count);
  if (error != cudaSuccess) return failure("cudaGraphGetNodes", error);

  CapturedWork work;
  for (const cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type{};
    error = cudaGraphNodeGetType(node, &type);
    if (error != cudaSuccess) return failure("cudaGraphNodeGetType", error);
    if (type == cudaGraphNodeTypeKernel) {
      error = cudaGraphKernelNodeGetParams(node, &work.kernels.emplace_back());
    } else if (type == cudaGraphNodeTypeMemset) {
      error = cudaGraphMemsetNodeGetParams(node, &work.memsets.emplace_back());
    } else {
      return Status(StatusCode::unsupported,
                    "the plan enqueues more than kernels and memsets (node type " +
                        std::to_string(static_cast<int>(type)) + ")");
    }
    if (error != cudaSuccess) return failure("reading a captured node", error);
  }
  work.graph = std::move(graph);
  return work;
}

class CudaQueue final : public LaunchQueue {
 public:
  explicit CudaQueue(cudaStream_t stream) : stream_(stream) {}
  CudaQueue(const CudaQueue&) = delete;
  CudaQueue& operator=(const CudaQueue&) = delete;
  ~CudaQueue() override { cudaStreamDestroy(stream_); }

  Stream stream() const noexcept override { return {stream_}; }

  Status drain() override {
    const cudaError_t error = cudaStreamSynchronize(stream_);
    return error == cudaSuccess ? Status{} : failure("cudaStreamSynchronize", error);
  }

  Result<std::function<Status()>> bare_launch(const Plan& plan, const NormArgs& args,
                                              void* workspace) override {
    Result<Graph> graph = capture(plan, args, workspace, stream_);
    if (!graph.ok()) return graph.status();
    Result<CapturedWork> work = take_apart(std::move(graph).value());
    if (!work.ok()) return work.status();
    return std::function<Status()>([work = std::move(work).value(), stream = stream_] {
      // Memsets first, as a plan resets its workspace. Only the host's time counts here.
      for (const cudaMemsetParams& memset : work.memsets) {
        cudaMemsetAsync(memset.dst, static_cast<int>(memset.value),
                        memset.width * memset.elementSize, stream);
      }
      for (const cudaKernelNodeParams& kernel : work.kernels) {
        cudaLaunchKernel(kernel.func, kernel.gridDim, kernel.blockDim, kernel.kernelParams,
                         kernel.sharedMemBytes, stream);
      }
      const cudaError_t error = cudaPeekAtLastError();
      return error == cudaSuccess ? Status{} : failure("a bare launch", error);
    });
  }

 private:
  cudaStream_t stream_;
};

}  // namespace

Result<std::unique_ptr<LaunchQueue>> make_device_queue() {
  cudaStream_t stream = nullptr;
  const cudaError_t error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  if (error != cudaSuccess) return failure("cudaStreamCreateWithFlags", error);
  return std::unique_ptr<LaunchQueue>(std::make_unique<CudaQueue>(stream));
}

}  // namespace fastnorm::bench
