// Strategies split_two_kernel and split_atomic: several blocks a row, for rows that are too few to
// fill the device. They differ in how the parts of a row are joined, and in nothing else.
#include "backends/cuda/cuda_status.hpp"
#include "backends/cuda/device_guard.hpp"
#include "backends/cuda/row_cost_model.hpp"
#include "backends/cuda/row_space.hpp"
#include "backends/cuda/split_row_kernels.hpp"
#include "backends/cuda/split_workspace.hpp"
#include "backends/cuda/strategies.hpp"
#include "core/typed_variant.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace fastnorm::cuda {
namespace {

constexpr const char* statistics_kernel_name = "split_statistics_kernel";
constexpr const char* apply_kernel_name = "split_apply_kernel";

/// Parts start at a multiple of a cache line and are worth a block.
constexpr std::int64_t part_grain = 32;
constexpr std::int64_t least_part_len = 512;
constexpr int most_splits = 4096;

RowSplit split_of(std::int64_t row_len, int splits) {
  RowSplit split;
  const std::int64_t even = (row_len + splits - 1) / splits;
  split.part_len = (even + part_grain - 1) / part_grain * part_grain;
  split.parts = (row_len + split.part_len - 1) / split.part_len;
  return split;
}

/// One writer a part: nothing to reset, and the same bits every time.
struct TwoKernelJoin {
  static constexpr const char* name = "split_two_kernel";
  static constexpr bool deterministic = true;
  static constexpr double extra_us = 0;
  static std::size_t workspace_bytes(std::int64_t rows, const RowSplit& split) {
    return static_cast<std::size_t>(rows * split.parts) * sizeof(PartialSlot);
  }
  static SplitKernels kernels(KernelShape shape) { return partial_split_kernels(shape); }
  static Status reset(void*, std::size_t, Stream) { return {}; }
};

struct AtomicJoin {
  static constexpr const char* name = "split_atomic";
  static constexpr bool deterministic = false;
  static constexpr double extra_us = 0.2;  // The reset, less the merging of partials that it saves.
  static std::size_t workspace_bytes(std::int64_t rows, const RowSplit&) {
    return static_cast<std::size_t>(rows) * sizeof(AtomicSlot);
  }
  static SplitKernels kernels(KernelShape shape) { return atomic_split_kernels(shape); }
  static Status reset(void* slots, std::size_t bytes, Stream stream) {
    return to_status(cudaMemsetAsync(slots, 0, bytes, static_cast<cudaStream_t>(stream.handle)),
                     "resetting the sums of split_atomic");
  }
};

template <class Join>
class SplitExecutable final : public Executable {
 public:
  SplitExecutable(const Problem& problem, int device, const SplitRowConfig& config,
                  const SplitKernels& kernels)
      : params_(row_params(problem, config)),
        split_(split_of(problem.row_len(), config.splits)),
        config_(config),
        device_(device),
        kernels_(kernels) {}

  std::size_t workspace_bytes() const noexcept override {
    return Join::workspace_bytes(params_.geometry.rows, split_);
  }

  bool accepts(const NormArgs& args) const noexcept override {
    return same_vector_phase(args, config_.vec_width);
  }

  Status launch(const NormArgs& args, void* workspace, Stream stream) const override {
    const DeviceGuard guard(device_);
    if (guard.error() != cudaSuccess) return to_status(guard.error(), "cudaSetDevice");
    if (Status status = Join::reset(workspace, workspace_bytes(), stream); !status.ok()) {
      return status;
    }
    RowParams<float> params = with_tensors(params_, args);
    RowSplit split = split_;
    void* arguments[] = {&params, &split, &workspace};
    const unsigned int blocks = grid_blocks(params.geometry.rows * split.parts);
    if (Status status = launch_kernel(statistics_kernel_name, kernels_.statistics, blocks,
                                      config_.threads, arguments, stream);
        !status.ok()) {
      return status;
    }
    return launch_kernel(apply_kernel_name, kernels_.apply, blocks, config_.threads, arguments,
                         stream);
  }

 private:
  const RowParams<float> params_;
  const RowSplit split_;
  const SplitRowConfig config_;
  const int device_;
  const SplitKernels kernels_;
};

template <class Join>
class SplitRow final : public TypedVariant<SplitRowConfig> {
 public:
  std::string_view name() const noexcept override { return Join::name; }
  bool deterministic() const noexcept override { return Join::deterministic; }

  Support supports(const Problem& problem, const DeviceInfo&) const override {
    if (problem.row_len() >= 2 * least_part_len) return Support::yes();
    return Support::no("rows of " + std::to_string(problem.row_len()) +
                       " elements are too short to split; at least " +
                       std::to_string(2 * least_part_len));
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
    return supports_row_config(config, device);
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
    const SplitKernels kernels = Join::kernels(config.shape());
    const DeviceGuard guard(device.ordinal);
    if (guard.error() != cudaSuccess) return to_status(guard.error(), "cudaSetDevice");
    if (Status status = load_kernel(kernels.statistics, statistics_kernel_name); !status.ok()) {
      return status;
    }
    if (Status status = load_kernel(kernels.apply, apply_kernel_name); !status.ok()) return status;
    return std::unique_ptr<const Executable>(
        std::make_unique<SplitExecutable<Join>>(problem, device.ordinal, config, kernels));
  }

  Result<std::unique_ptr<const Executable>> make_fallback(
      const Problem& problem, const DeviceInfo& device,
      const SplitRowConfig& config) const override {
    if (config.vec_width == 1) return std::unique_ptr<const Executable>();
    return make(problem, device, scalar(config));
  }

  static std::int64_t largest_split(const Problem& problem) {
    return std::min<std::int64_t>(most_splits, problem.row_len() / least_part_len);
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
