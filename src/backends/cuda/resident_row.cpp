// SPDX-License-Identifier: Apache-2.0
// Strategy resident_row: one block a row, which is read once and stays in the block's registers.
#include "backends/cuda/kernel_executable.hpp"
#include "backends/cuda/resident_row_kernel.hpp"
#include "backends/cuda/resident_space.hpp"
#include "backends/cuda/row_cost_model.hpp"
#include "backends/cuda/row_variant.hpp"
#include "backends/cuda/strategies.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace fastnorm::cuda {
namespace {

/// The sums over the block, and a barrier.
constexpr double reduction_us = 0.46;

class ResidentRow final : public RowVariant<ResidentConfig> {
 public:
  std::string_view name() const noexcept override { return "resident_row"; }
  bool deterministic() const noexcept override { return true; }

  Support supports_problem(const Problem& problem, const DeviceInfo& device) const override {
    const std::int64_t most = longest_part_of_block(problem, device);
    if (problem.row_len() > most) {
      return Support::no("rows of " + std::to_string(problem.row_len()) +
                         " elements do not fit a block's registers; at most " +
                         std::to_string(most));
    }
    const std::int64_t least = std::int64_t{fewest_threads} / 2 * widest_load(problem);
    if (problem.row_len() < least) {
      return Support::no("rows of " + std::to_string(problem.row_len()) +
                         " elements leave most of a block idle; at least " + std::to_string(least));
    }
    return supports_resident(problem);
  }

 private:
  Support supports_config(const Problem& problem, const DeviceInfo& device,
                          const ResidentConfig& config) const override {
    if (Support support =
            supports_resident_config(problem, device, config, resident_max_threads(config.unroll));
        !support.ok) {
      return support;
    }
    const std::int64_t most = resident_capacity(config.threads, config.vec_width, config.unroll);
    if (problem.row_len() > most) {
      return Support::no("threads=" + std::to_string(config.threads) + ",unroll=" +
                         std::to_string(config.unroll) + " hold " + std::to_string(most) +
                         " elements; rows have " + std::to_string(problem.row_len()));
    }
    return Support::yes();
  }

  /// For each unroll the one block that has just enough threads.
  std::vector<ResidentConfig> candidates(const Problem& problem,
                                         const DeviceInfo& device) const override {
    std::vector<ResidentConfig> list;
    ResidentConfig config;
    config.vec_width = widest_load(problem);
    add_fitting_blocks(list, config, problem.row_len(), problem, device);
    return list;
  }

  double estimate(const Problem& problem, const DeviceInfo& device,
                  const ResidentConfig& config) const override {
    ResidentWork work;
    work.blocks = problem.rows();
    work.block_len = static_cast<double>(problem.row_len());
    work.thread_vectors = most_thread_vectors(work.block_len, config);
    work.reduction_us = reduction_us;
    return estimate_one_read_us(problem, device, config, work);
  }

  Result<std::unique_ptr<const Executable>> make(const Problem& problem, const DeviceInfo& device,
                                                 const ResidentConfig& config) const override {
    KernelLaunch launch;
    launch.name = "resident_row_kernel";
    launch.kernel =
        resident_row_kernel_address(problem.desc().x_type, config.shape(), row_form(problem));
    launch.blocks = static_cast<unsigned int>(problem.rows());
    launch.threads = config.threads;
    if (Status status = launch.load(device.ordinal); !status.ok()) return status;
    return std::unique_ptr<const Executable>(std::make_unique<KernelExecutable<RowParams>>(
        problem, device.ordinal, row_params(problem, config.cache()), &same_vector_phase,
        config.vec_width, launch));
  }

  Result<std::unique_ptr<const Executable>> make_fallback(
      const Problem& problem, const DeviceInfo& device,
      const ResidentConfig& config) const override {
    if (config.vec_width == 1) return std::unique_ptr<const Executable>();
    ResidentConfig single = scalar(config);
    single.threads = fitting_threads(problem.row_len(), single.vec_width, single.unroll);
    if (supports_config(problem, device, single).ok) return make(problem, device, single);
    return prepare_scalar_block_row(problem, device);
  }
};

}  // namespace

const KernelVariant& resident_row_variant() {
  static const KernelVariant& variant = *new ResidentRow;
  return variant;
}

}  // namespace fastnorm::cuda
