// SPDX-License-Identifier: Apache-2.0
// Strategy block_row: one block a row. The general one of those for rows of consecutive elements.
#include "backends/cuda/block_row_kernel.hpp"
#include "backends/cuda/kernel_executable.hpp"
#include "backends/cuda/resident_space.hpp"
#include "backends/cuda/row_cost_model.hpp"
#include "backends/cuda/row_space.hpp"
#include "backends/cuda/row_variant.hpp"
#include "backends/cuda/strategies.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace fastnorm::cuda {
namespace {

class BlockRow final : public RowVariant<RowConfig> {
 public:
  std::string_view name() const noexcept override { return "block_row"; }
  bool deterministic() const noexcept override { return true; }
  Support supports_problem(const Problem&, const DeviceInfo&) const override {
    return Support::yes();
  }

 private:
  Support supports_config(const Problem& problem, const DeviceInfo& device,
                          const RowConfig& config) const override {
    return supports_row_config(problem, device, config);
  }

  std::vector<RowConfig> candidates(const Problem& problem,
                                    const DeviceInfo& device) const override {
    return row_configs(problem, device, problem.row_len());
  }

  double estimate(const Problem& problem, const DeviceInfo& device,
                  const RowConfig& config) const override {
    RowWork work;
    work.blocks = problem.rows();
    work.block_len = problem.row_len();
    return estimate_two_reads_us(problem, device, config, work);
  }

  Result<std::unique_ptr<const Executable>> make(const Problem& problem, const DeviceInfo& device,
                                                 const RowConfig& config) const override {
    KernelLaunch launch;
    launch.name = "block_row_kernel";
    launch.kernel = block_row_kernel_address(problem.desc().x_type, config.shape());
    launch.blocks = grid_blocks(problem.rows());
    launch.threads = config.threads;
    if (Status status = launch.load(device.ordinal); !status.ok()) return status;
    return std::unique_ptr<const Executable>(std::make_unique<KernelExecutable<RowParams>>(
        problem, device.ordinal, row_params(problem, config.cache()), &same_vector_phase,
        config.vec_width, launch));
  }

  Result<std::unique_ptr<const Executable>> make_fallback(const Problem& problem,
                                                          const DeviceInfo& device,
                                                          const RowConfig& config) const override {
    if (config.vec_width == 1) return std::unique_ptr<const Executable>();
    return make(problem, device, scalar(config));
  }
};

}  // namespace

const KernelVariant& block_row_variant() {
  static const KernelVariant& variant = *new BlockRow;
  return variant;
}

Result<std::unique_ptr<const Executable>> prepare_scalar_block_row(const Problem& problem,
                                                                   const DeviceInfo& device) {
  constexpr int most_threads = 512;
  RowConfig config = scalar(RowConfig{});
  config.threads =
      std::min(most_threads, fitting_threads(problem.row_len(), config.vec_width, config.unroll));
  return block_row_variant().prepare(problem, device, Config::of(config));
}

}  // namespace fastnorm::cuda
