/// An executable of one kernel over rows.
#pragma once

#include "backends/cuda/cuda_status.hpp"
#include "backends/cuda/device_guard.hpp"
#include "backends/cuda/kernel_launch.hpp"
#include "backends/cuda/row_space.hpp"
#include "core/backend.hpp"
#include "core/problem.hpp"

#include <fastnorm/norm_desc.hpp>
#include <fastnorm/status.hpp>

#include <memory>
#include <tuple>
#include <utility>

namespace fastnorm::cuda {

/// The kernel's parameters are RowParams and Extra; it has no workspace, and reads and writes
/// vectors of one cut, which may start anywhere or not.
template <class... Extra>
class RowExecutable final : public Executable {
 public:
  RowExecutable(const Problem& problem, int device, const CacheUse& cache, int vec_width,
                VectorStart start, const KernelLaunch& launch, const Extra&... extra)
      : problem_(problem),
        params_(row_params(problem, cache)),
        vec_width_(vec_width),
        start_(start),
        device_(device),
        launch_(launch),
        extra_(extra...) {}

  std::size_t workspace_bytes() const noexcept override { return 0; }

  bool accepts(const NormArgs& args) const noexcept override {
    return same_vector_phase(problem_, args, vec_width_) &&
           (start_ == VectorStart::anywhere || starts_at_vector(problem_, args, vec_width_));
  }

  Status launch(const NormArgs& args, void*, Stream stream) const override {
    const DeviceGuard guard(device_);
    if (guard.error() != cudaSuccess) return to_status(guard.error(), "cudaSetDevice");
    RowParams params = params_;
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
  const RowParams params_;
  const int vec_width_;
  const VectorStart start_;
  const int device_;
  const KernelLaunch launch_;
  const std::tuple<Extra...> extra_;
};

}  // namespace fastnorm::cuda
