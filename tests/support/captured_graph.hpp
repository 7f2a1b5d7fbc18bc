// SPDX-License-Identifier: Apache-2.0
/// What a test enqueues on a stream, captured into a graph: replayed, or looked at.
#pragma once

#include "support/device_memory.hpp"

#include <fastnorm/types.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>
#include <vector>

namespace fastnorm::test {

class CapturedGraph {
 public:
  explicit CapturedGraph(Stream stream) : stream_(static_cast<cudaStream_t>(stream.handle)) {}

  ~CapturedGraph() {
    if (executable_ != nullptr) static_cast<void>(cudaGraphExecDestroy(executable_));
    if (graph_ != nullptr) static_cast<void>(cudaGraphDestroy(graph_));
  }
  CapturedGraph(const CapturedGraph&) = delete;
  CapturedGraph& operator=(const CapturedGraph&) = delete;

  void begin(cudaStreamCaptureMode mode = cudaStreamCaptureModeThreadLocal) {
    check_cuda(cudaStreamBeginCapture(stream_, mode), "cudaStreamBeginCapture");
  }

  /// Throws where the capture has been invalidated.
  void end() { check_cuda(cudaStreamEndCapture(stream_, &graph_), "cudaStreamEndCapture"); }

  /// A graph made by other means than a capture of this stream.
  cudaGraph_t make_empty() {
    check_cuda(cudaGraphCreate(&graph_, 0), "cudaGraphCreate");
    return graph_;
  }

  void replay() {
    if (executable_ == nullptr) {
      check_cuda(cudaGraphInstantiateWithFlags(&executable_, graph_, 0), "cudaGraphInstantiate");
    }
    check_cuda(cudaGraphLaunch(executable_, stream_), "cudaGraphLaunch");
    check_cuda(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
  }

  struct Kernel {
    cudaGraphNode_t node;
    cudaKernelNodeParams params;

    std::string name() const {  ///< Mangled.
      const char* name = nullptr;
      check_cuda(cudaFuncGetName(&name, params.func), "cudaFuncGetName");
      return name;
    }
  };

  std::vector<Kernel> kernels() const { return kernels_of(graph_); }

  /// Those of any graph, such as the body of a node.
  static std::vector<Kernel> kernels_of(cudaGraph_t graph) {
    std::size_t count = 0;
    check_cuda(cudaGraphGetNodes(graph, nullptr, &count), "cudaGraphGetNodes");
    std::vector<cudaGraphNode_t> nodes(count);
    if (count > 0) check_cuda(cudaGraphGetNodes(graph, nodes.data(), &count), "cudaGraphGetNodes");
    std::vector<Kernel> kernels;
    for (const cudaGraphNode_t node : nodes) {
      cudaGraphNodeType type{};
      check_cuda(cudaGraphNodeGetType(node, &type), "cudaGraphNodeGetType");
      if (type != cudaGraphNodeTypeKernel) continue;
      Kernel& kernel = kernels.emplace_back(Kernel{node, {}});
      check_cuda(cudaGraphKernelNodeGetParams(node, &kernel.params),
                 "cudaGraphKernelNodeGetParams");
    }
    return kernels;
  }

 private:
  cudaStream_t stream_;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace fastnorm::test
