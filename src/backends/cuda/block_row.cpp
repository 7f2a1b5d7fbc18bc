// Strategy block_row: one block a row. The general one: it supports every problem.
#include "backends/cuda/block_row_kernel.hpp"
#include "backends/cuda/cuda_status.hpp"
#include "backends/cuda/device_guard.hpp"
#include "backends/cuda/row_cost_model.hpp"
#include "backends/cuda/row_space.hpp"
#include "backends/cuda/strategies.hpp"
#include "core/typed_variant.hpp"

#include <memory>
#include <utility>

namespace fastnorm::cuda {
namespace {

constexpr const char* kernel_name = "block_row_kernel";

class BlockRowExecutable final : public Executable {
 public:
  BlockRowExecutable(const Problem& problem, int device, const RowConfig& config,
                     const void* kernel)
      : params_(row_params(problem, config)), config_(config), device_(device), kernel_(kernel) {}

  std::size_t workspace_bytes() const noexcept override { return 0; }

  bool accepts(const NormArgs& args) const noexcept override {
    return same_vector_phase(args, config_.vec_width);
  }

  Status launch(const NormArgs& args, void*, Stream stream) const override {
    const DeviceGuard guard(device_);
    if (guard.error() != cudaSuccess) return to_status(guard.error(), "cudaSetDevice");
    RowParams<float> params = with_tensors(params_, args);
    void* arguments[] = {&params};
    return launch_kernel(kernel_name, kernel_, grid_blocks(params.geometry.rows), config_.threads,
                         arguments, stream);
  }

 private:
  const RowParams<float> params_;
  const RowConfig config_;
  const int device_;
  const void* const kernel_;
};

class BlockRow final : public TypedVariant<RowConfig> {
 public:
  std::string_view name() const noexcept override { return "block_row"; }
  bool deterministic() const noexcept override { return true; }
  Support supports(const Problem&, const DeviceInfo&) const override { return Support::yes(); }

 private:
  Support supports_config(const Problem&, const DeviceInfo& device,
                          const RowConfig& config) const override {
    return supports_row_config(config, device);
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
    const void* kernel = block_row_kernel_address(config.shape());
    const DeviceGuard guard(device.ordinal);
    if (guard.error() != cudaSuccess) return to_status(guard.error(), "cudaSetDevice");
    if (Status status = load_kernel(kernel, kernel_name); !status.ok()) return status;
    return std::unique_ptr<const Executable>(
        std::make_unique<BlockRowExecutable>(problem, device.ordinal, config, kernel));
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

}  // namespace fastnorm::cuda
