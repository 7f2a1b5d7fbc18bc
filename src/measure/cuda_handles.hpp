// SPDX-License-Identifier: Apache-2.0
/// CUDA's handles, each with an owner that destroys it.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <type_traits>

namespace fastnorm::measure {

struct Destroy {
  void operator()(cudaStream_t stream) const { static_cast<void>(cudaStreamDestroy(stream)); }
  void operator()(cudaEvent_t event) const { static_cast<void>(cudaEventDestroy(event)); }
  void operator()(cudaGraph_t graph) const { static_cast<void>(cudaGraphDestroy(graph)); }
  void operator()(cudaGraphExec_t graph) const { static_cast<void>(cudaGraphExecDestroy(graph)); }
};
template <class Handle>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Destroy>;

}  // namespace fastnorm::measure
