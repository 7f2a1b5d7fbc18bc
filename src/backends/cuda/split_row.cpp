// SPDX-License-Identifier: Apache-2.0
// Strategies split_two_kernel and split_atomic: several blocks a row, for rows that are too few to
// fill the device. They differ in how the parts of a row are joined, and in nothing else.
#include "backends/cuda/cuda_status.hpp"
#include "backends/cuda/device_guard.hpp"
#include "backends/cuda/kernel_launch.hpp"
#include "backends/cuda/row_cost_model.hpp"
#include "backends/cuda/row_space.hpp"
#include "backends/cuda/row_variant.hpp"
#include "backends/cuda/split_row_kernels.hpp"
#include "backends/cuda/split_space.hpp"
#include "backends/cuda/split_workspace.hpp"
#include "backends/cuda/strategies.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace fastnorm::cuda {
namespace {

constexpr int most_splits = 4096;

/// One writer a part: nothing to reset, and the same bits every time.
struct TwoKernelJoin {
  static constexpr const char* name = "split_two_kernel";
  static constexpr bool deterministic = true;
  static constexpr double extra_us = 0;
  static constexpr std::size_t slot_bytes(DType accumulation) {
    return accumulation == DType::f64 ? 32 : 16;
  }
  static std::size_t workspace_bytes(const Problem& problem, const RowSplit& split) {
    return static_cast<std::size_t>(problem.rows() * split.parts) *
           slot_bytes(problem.accumulation_type());
  }
  static Support supports(const Problem&) { return Support::yes(); }
  static SplitKernels kernels(DType type, KernelShape shape) {
    return partial_split_kernels(type, shape);
  }
  static Status reset(void*, std::size_t, Stream) { return {}; }
};

struct AtomicJoin {
  static constexpr const char* name = "split_atomic";
  static constexpr bool deterministic = false;
  static constexpr double extra_us = 0.2;  // The reset, less the merging of partials that it saves.
  static std::size_t workspace_bytes(const Problem& problem, const RowSplit&) {
    return static_cast<std::size_t>(problem.rows()) * sizeof(AtomicSlot);
  }
  static Support supports(const Problem& problem) {
    if (problem.accumulation_type() != DType::f64) return Support::yes();
    return Support::no("its sums are f64, which leaves no spare bits for data of that type");
  }
  static SplitKernels kernels(DType type, KernelShape shape) {
    return atomic_split_kernels(type, shape);
  }
  static Status reset(void* slots, std::size_t bytes, Stream stream) {
    return to_status(cudaMemsetAsync(slots, 0, bytes, static_cast<cudaStream_t>(stream.handle)),
                     "resetting the sums of split_atomic");
  }
};

template <class Join>
class SplitExecutable final : public Executable {
 public:
  SplitExecutable(const Problem& problem, int device, const SplitRowConfig& config,
                  const KernelLaunch& statistics, const KernelLaunch& apply)
      : problem_(problem),
        params_(row_params(problem, config.cache())),
        split_(split_of(problem.row_len(), config.splits)),
        vec_width_(config.vec_width),
        device_(device),
        statistics_(statistics),
        apply_(apply) {}

  std::size_t workspace_bytes() const noexcept override {
    return Join::workspace_bytes(problem_, split_);
  }

  bool accepts(const NormArgs& args) const noexcept override {
    return same_vector_phase(problem_, args, vec_width_);
  }

  Status launch(const NormArgs& args, void* workspace, Stream stream) const override {
    const DeviceGuard guard(device_);
    if (guard.error() != cudaSuccess) return to_status(guard.error(), "cudaSetDevice");
    if (Status status = Join::reset(workspace, workspace_bytes(), stream); !status.ok()) {
      return status;
    }
    RowParams params = params_;
    params.tensors = args;
    RowSplit split = split_;
    void* arguments[] = {&params, &split, &workspace};
    if (Status status = statistics_.enqueue(arguments, stream); !status.ok()) return status;
    return apply_.enqueue(arguments, stream);
  }

 private:
  const Problem problem_;
  const RowParams params_;
  const RowSplit split_;
  const int vec_width_;
  const int device_;
  const KernelLaunch statistics_;
  const KernelLaunch apply_;
};

template <class Join>
class SplitRow final : public RowVariant<SplitRowConfig> {
 public:
  std::string_view name() const noexcept override { return Join::name; }
  bool deterministic() const noexcept override { return Join::deterministic; }

  Support supports_problem(const Problem& problem, const DeviceInfo&) const override {
    if (Support support = supports_split(problem); !support.ok) return support;
    return Join::supports(problem);
  }

 private:
  Support supports_config(const Problem& problem, const DeviceInfo& device,
                          const SplitRowConfig& config) const override {
    const std::int64_t most = largest_split(problem);
    if (config.splits < 2 || config.splits > most) {
      return Support::no("splits=" + std::to_string(config.splits) + " must be from 2 to " +
                         std::to_string(most) + " for rows of " +
                         std::to_string(problem.row_len()) + " elements");
    }
    return supports_row_config(problem, device, config);
  }

  std::vector<SplitRowConfig> candidates(const Problem& problem,
                                         const DeviceInfo& device) const override {
    std::vector<SplitRowConfig> list;
    for (const int splits : split_counts(problem, device)) {
      const std::int64_t part_len = split_of(problem.row_len(), splits).part_len;
      for (const RowConfig& row : row_configs(problem, device, part_len)) {
        SplitRowConfig config;
        static_cast<RowConfig&>(config) = row;
        config.splits = splits;
        list.push_back(config);
      }
    }
    return list;
  }

  double estimate(const Problem& problem, const DeviceInfo& device,
                  const SplitRowConfig& config) const override {
    const RowSplit split = split_of(problem.row_len(), config.splits);
    RowWork work;
    work.blocks = problem.rows() * split.parts;
    work.block_len = split.part_len;
    work.kernels = 2;
    work.extra_us = Join::extra_us;
    return estimate_two_reads_us(problem, device, config, work);
  }

  Result<std::unique_ptr<const Executable>> make(const Problem& problem, const DeviceInfo& device,
                                                 const SplitRowConfig& config) const override {
    const SplitKernels kernels = Join::kernels(problem.desc().x_type, config.shape());
    const RowSplit split = split_of(problem.row_len(), config.splits);
    KernelLaunch statistics;
    statistics.name = "split_statistics_kernel";
    statistics.kernel = kernels.statistics;
    statistics.blocks = grid_blocks(problem.rows() * split.parts);
    statistics.threads = config.threads;
    KernelLaunch apply = statistics;
    apply.name = "split_apply_kernel";
    apply.kernel = kernels.apply;
    if (Status status = statistics.load(device.ordinal); !status.ok()) return status;
    if (Status status = apply.load(device.ordinal); !status.ok()) return status;
    return std::unique_ptr<const Executable>(std::make_unique<SplitExecutable<Join>>(
        problem, device.ordinal, config, statistics, apply));
  }

  Result<std::unique_ptr<const Executable>> make_fallback(
      const Problem& problem, const DeviceInfo& device,
      const SplitRowConfig& config) const override {
    if (config.vec_width == 1) return std::unique_ptr<const Executable>();
    return make(problem, device, scalar(config));
  }

  static std::int64_t largest_split(const Problem& problem) {
    return std::min<std::int64_t>(most_splits, worthwhile_parts(problem));
  }

  /// Powers of two, and the counts that fill the device a whole number of times.
  static std::vector<int> split_counts(const Problem& problem, const DeviceInfo& device) {
    const std::int64_t most = largest_split(problem);
    // Beyond this many blocks a finer split brings nothing but overhead.
    const std::int64_t most_blocks = std::int64_t{32} * device.processors;
    std::vector<std::int64_t> wanted;
    for (std::int64_t splits = 2; splits <= most; splits *= 2) wanted.push_back(splits);
    for (const int fills : {1, 2, 4, 8}) {
      wanted.push_back(fills * device.processors / std::max<std::int64_t>(1, problem.rows()));
    }
    std::sort(wanted.begin(), wanted.end());

    std::vector<int> counts;
    std::int64_t last_parts = 0;
    for (const std::int64_t splits : wanted) {
      if (splits < 2 || splits > most) continue;
      if (splits > 2 && problem.rows() * splits > most_blocks) continue;
      // Distinct launches only: rounding part lengths may make two counts the same.
      const std::int64_t parts = split_of(problem.row_len(), static_cast<int>(splits)).parts;
      if (parts < 2 || parts == last_parts) continue;
      last_parts = parts;
      counts.push_back(static_cast<int>(splits));
    }
    return counts;
  }
};

}  // namespace

const KernelVariant& split_two_kernel_variant() {
  static const KernelVariant& variant = *new SplitRow<TwoKernelJoin>;
  return variant;
}

const KernelVariant& split_atomic_variant() {
  static const KernelVariant& variant = *new SplitRow<AtomicJoin>;
  return variant;
}

}  // namespace fastnorm::cuda
