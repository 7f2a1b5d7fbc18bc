// SPDX-License-Identifier: Apache-2.0
/// An executable of one kernel whose blocks send each other messages through the workspace.
#pragma once

#include "backends/cuda/cuda_status.hpp"
#include "backends/cuda/device_guard.hpp"
#include "backends/cuda/kernel_executable.hpp"
#include "backends/cuda/kernel_launch.hpp"
#include "backends/cuda/messages.hpp"
#include "core/backend.hpp"
#include "core/problem.hpp"

#include <fastnorm/norm_desc.hpp>
#include <fastnorm/status.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace fastnorm::cuda {

/// The kernel's parameters are Params, which hold the call's, Shape and the messages, of which
/// there may be none.
template <class Params, class Shape>
class MessageExecutable final : public Executable {
 public:
  MessageExecutable(const Problem& problem, int device, const Params& params,
                    AcceptsVectors accepts, int vec_width, const Shape& shape,
                    std::int64_t messages, const KernelLaunch& launch)
      : problem_(problem),
        params_(params),
        accepts_(accepts),
        shape_(shape),
        messages_(messages),
        vec_width_(vec_width),
        device_(device),
        launch_(launch) {}

  std::size_t workspace_bytes() const noexcept override {
    return static_cast<std::size_t>(messages_) * message_bytes;
  }

  bool accepts(const NormArgs& args) const noexcept override {
    return accepts_(problem_, args, vec_width_);
  }

  Status launch(const NormArgs& args, void* workspace, Stream stream) const override {
    const DeviceGuard guard(device_);
    if (guard.error() != cudaSuccess) return to_status(guard.error(), "cudaSetDevice");
    if (messages_ > 0) {
      const cudaError_t error = cudaMemsetAsync(workspace, no_message, workspace_bytes(),
                                                static_cast<cudaStream_t>(stream.handle));
      if (error != cudaSuccess) {
        return to_status(error, std::string("resetting the messages of ") + launch_.name);
      }
    }
    Params params = params_;
    params.tensors = args;
    Shape shape = shape_;
    void* arguments[] = {&params, &shape, &workspace};
    return launch_.enqueue(arguments, stream);
  }

 private:
  const Problem problem_;
  const Params params_;
  const AcceptsVectors accepts_;
  const Shape shape_;
  const std::int64_t messages_;
  const int vec_width_;
  const int device_;
  const KernelLaunch launch_;
};

}  // namespace fastnorm::cuda
