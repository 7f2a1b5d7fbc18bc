/// What a test enqueues on a stream, captured into a graph and replayed.
#pragma once

#include "support/device_memory.hpp"

#include <fastnorm/types.hpp>

#include <cuda_runtime_api.h>

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

  void begin(cudaStreamCaptureMode mode) {
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

 private:
  cudaStream_t stream_;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace fastnorm::test
