// SPDX-License-Identifier: Apache-2.0
// Strategy warp_row: a few lanes a row, or a warp, which hold it in registers; several rows a
// block.
#include "backends/cuda/cuda_status.hpp"
#include "backends/cuda/device_guard.hpp"
#include "backends/cuda/kernel_launch.hpp"
#include "backends/cuda/resident_space.hpp"
#include "backends/cuda/row_cost_model.hpp"
#include "backends/cuda/row_space.hpp"
#include "backends/cuda/row_variant.hpp"
#include "backends/cuda/strategies.hpp"
#include "backends/cuda/warp_row_kernel.hpp"
#include "core/integer.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace fastnorm::cuda {
namespace {

constexpr int warp_lanes = 32;
constexpr double reduction_us = 0.18;  // Shuffles; no thread waits for another warp.

std::int64_t blocks_of(const Problem& problem, const WarpRowConfig& config) {
  const std::int64_t rows_per_block = config.threads / config.lanes;
  return (problem.rows() + rows_per_block - 1) / rows_per_block;
}

/// An edge has fewer elements than a vector at either end, and a lane takes one.
bool edges_fit(const WarpRowConfig& config) {
  return config.vec_width == 1 || config.lanes >= 2 * config.vec_width;
}

/// Two kernels: one for rows that start and end at vectors' boundaries, and one for all others that
/// are cut alike. Either may be missing, not both.
class WarpRowExecutable final : public Executable {
 public:
  WarpRowExecutable(const Problem& problem, int device, const WarpRowConfig& config,
                    const KernelLaunch& at_vectors, const KernelLaunch& anywhere)
      : problem_(problem),
        params_(row_params(problem, config.cache())),
        vec_width_(config.vec_width),
        log2_lanes_(ceil_log2(config.lanes)),
        device_(device),
        at_vectors_(at_vectors),
        anywhere_(anywhere) {}

  std::size_t workspace_bytes() const noexcept override { return 0; }

  bool accepts(const NormArgs& args) const noexcept override {
    return same_vector_phase(problem_, args, vec_width_) &&
           (anywhere_.kernel != nullptr || starts_at_vector(problem_, args, vec_width_));
  }

  Status launch(const NormArgs& args, void*, Stream stream) const override {
    const DeviceGuard guard(device_);
    if (guard.error() != cudaSuccess) return to_status(guard.error(), "cudaSetDevice");
    const bool aligned =
        at_vectors_.kernel != nullptr && starts_at_vector(problem_, args, vec_width_);
    RowParams params = params_;
    params.tensors = args;
    int log2_lanes = log2_lanes_;
    void* arguments[] = {&params, &log2_lanes};
    return (aligned ? at_vectors_ : anywhere_).enqueue(arguments, stream);
  }

 private:
  const Problem problem_;
  const RowParams params_;
  const int vec_width_;
  const int log2_lanes_;
  const int device_;
  const KernelLaunch at_vectors_;
  const KernelLaunch anywhere_;
};

class WarpRow final : public RowVariant<WarpRowConfig> {
 public:
  std::string_view name() const noexcept override { return "warp_row"; }
  bool deterministic() const noexcept override { return true; }

  Support supports_problem(const Problem& problem, const DeviceInfo&) const override {
    const std::int64_t most = longest_part(problem, warp_lanes);
    if (problem.row_len() > most) {
      return Support::no("rows of " + std::to_string(problem.row_len()) +
                         " elements do not fit a warp's registers; at most " +
                         std::to_string(most));
    }
    return supports_resident(problem);
  }

 private:
  Support supports_config(const Problem& problem, const DeviceInfo& device,
                          const WarpRowConfig& config) const override {
    if (config.lanes < 1 || config.lanes > warp_lanes || (config.lanes & (config.lanes - 1)) != 0) {
      return Support::no("lanes=" + std::to_string(config.lanes) +
                         " must be a power of two from 1 to 32");
    }
    if (Support support = supports_resident_config(problem, device, config, warp_row_max_threads);
        !support.ok) {
      return support;
    }
    const std::int64_t most = resident_capacity(config.lanes, config.vec_width, config.unroll);
    if (problem.row_len() > most) {
      return Support::no("lanes=" + std::to_string(config.lanes) + ",unroll=" +
                         std::to_string(config.unroll) + " hold " + std::to_string(most) +
                         " elements; rows have " + std::to_string(problem.row_len()));
    }
    if (!edges_fit(config) && !whole_vectors(problem, config.vec_width)) {
      return Support::no("lanes=" + std::to_string(config.lanes) + " must be at least " +
                         std::to_string(2 * config.vec_width) + " where rows of " +
                         std::to_string(problem.row_len()) + " elements are read " +
                         std::to_string(config.vec_width) + " at a time");
    }
    return Support::yes();
  }

  /// For each unroll the fewest lanes that hold a row.
  std::vector<WarpRowConfig> candidates(const Problem& problem,
                                        const DeviceInfo& device) const override {
    std::vector<WarpRowConfig> list;
    for (const int vec_width : widths(problem)) {
      for (const int unroll : resident_unrolls(vec_width)) {
        WarpRowConfig config;
        config.vec_width = vec_width;
        config.unroll = unroll;
        config.lanes = fitting_lanes(problem, vec_width, unroll);
        if (has_idle_unroll(problem, config)) continue;
        for (const int threads : {128, 256, 512}) {
          config.threads = threads;
          add_with_priorities(list, config, problem, device);
        }
      }
    }
    return list;
  }

  double estimate(const Problem& problem, const DeviceInfo& device,
                  const WarpRowConfig& config) const override {
    ResidentWork work;
    work.blocks = blocks_of(problem, config);
    work.block_len = static_cast<double>(problem.row_len()) * (config.threads / config.lanes);
    work.thread_vectors =
        std::ceil(static_cast<double>(problem.row_len()) / (config.lanes * config.vec_width));
    work.reduction_us = reduction_us;
    work.contiguous_bytes =
        config.lanes * config.vec_width * static_cast<double>(size_of(problem.desc().x_type));
    return estimate_one_read_us(problem, device, config, work);
  }

  Result<std::unique_ptr<const Executable>> make(const Problem& problem, const DeviceInfo& device,
                                                 const WarpRowConfig& config) const override {
    const WarpRowKernels kernels =
        warp_row_kernels(problem.desc().x_type, config.shape(), row_form(problem));
    KernelLaunch at_vectors;
    at_vectors.name = "warp_row_kernel";
    at_vectors.blocks = static_cast<unsigned int>(blocks_of(problem, config));
    at_vectors.threads = config.threads;
    KernelLaunch anywhere = at_vectors;
    if (config.vec_width > 1 && whole_vectors(problem, config.vec_width)) {
      at_vectors.kernel = kernels.at_vectors;
    }
    if (edges_fit(config)) anywhere.kernel = kernels.anywhere;
    for (const KernelLaunch* launch : {&at_vectors, &anywhere}) {
      if (launch->kernel == nullptr) continue;
      if (Status status = launch->load(device.ordinal); !status.ok()) return status;
    }
    return std::unique_ptr<const Executable>(
        std::make_unique<WarpRowExecutable>(problem, device.ordinal, config, at_vectors, anywhere));
  }

  Result<std::unique_ptr<const Executable>> make_fallback(
      const Problem& problem, const DeviceInfo& device,
      const WarpRowConfig& config) const override {
    if (config.vec_width == 1) return std::unique_ptr<const Executable>();
    WarpRowConfig single = scalar(config);
    single.lanes = fitting_lanes(problem, single.vec_width, single.unroll);
    if (supports_config(problem, device, single).ok) return make(problem, device, single);
    return prepare_scalar_block_row(problem, device);
  }

  /// Single elements where there is nothing wider, or hardly a vector in a row besides its edges.
  static std::vector<int> widths(const Problem& problem) {
    const int widest = widest_load(problem);
    if (widest == 1 || problem.row_len() < widest) return {1};
    constexpr std::int64_t few_elements = 64;
    if (!whole_vectors(problem, widest) && problem.row_len() <= few_elements) return {widest, 1};
    return {widest};
  }

  static int fitting_lanes(const Problem& problem, int vec_width, int unroll) {
    const bool has_edges = !whole_vectors(problem, vec_width);
    int lanes = has_edges ? 2 * vec_width : 1;
    while (resident_capacity(lanes, vec_width, unroll) < problem.row_len()) lanes *= 2;
    return lanes;
  }

  /// Half of the unrolled vectors would have nothing to hold.
  static bool has_idle_unroll(const Problem& problem, const WarpRowConfig& config) {
    return config.unroll > 1 && resident_capacity(config.lanes, config.vec_width,
                                                  config.unroll / 2) >= problem.row_len();
  }
};

}  // namespace

const KernelVariant& warp_row_variant() {
  static const KernelVariant& variant = *new WarpRow;
  return variant;
}

}  // namespace fastnorm::cuda
