// SPDX-License-Identifier: Apache-2.0
/// An executable of one kernel that needs no workspace.
#pragma once

#include "backends/cuda/cuda_status.hpp"
#include "backends/cuda/device_guard.hpp"
#include "backends/cuda/kernel_launch.hpp"
#include "core/backend.hpp"
#include "core/problem.hpp"

#include <fastnorm/norm_desc.hpp>
#include <fastnorm/status.hpp>

#include <cstddef>
#include <tuple>

namespace fastnorm::cuda {

/// Whether a call's tensors may be read and written in vectors of so many elements.
using AcceptsVectors = bool (*)(const Problem& problem, const NormArgs& args, int vec_width);

/// The kernel's parameters are Params, which hold the call's, and Extra.
template <class Params, class... Extra>
class KernelExecutable final : public Executable {
 public:
  KernelExecutable(const Problem& problem, int device, const Params& params, AcceptsVectors accepts,
                   int vec_width, const KernelLaunch& launch, const Extra&... extra)
      : problem_(problem),
        params_(params),
        accepts_(accepts),
        vec_width_(vec_width),
        device_(device),
        launch_(launch),
        extra_(extra...) {}

  std::size_t workspace_bytes() const noexcept override { return 0; }

  bool accepts(const NormArgs& args) const noexcept override {
    return accepts_(problem_, args, vec_width_);
  }

  Status launch(const NormArgs& args, void*, Stream stream) const override {
    const DeviceGuard guard(device_);
    if (guard.error() != cudaSuccess) return to_status(guard.error(), "cudaSetDevice");
    Params params = params_;
    params.tensors = args;
    return std::apply(
        [&](auto... extra) {
          void* arguments[] = {&params, &extra...};
          return launch_.enqueue(arguments, stream);
        },
        extra_);
  }

 private:
  const Problem problem_;
  const Params params_;
  const AcceptsVectors accepts_;
  const int vec_width_;
  const int device_;
  const KernelLaunch launch_;
  const std::tuple<Extra...> extra_;
};

}  // namespace fastnorm::cuda
