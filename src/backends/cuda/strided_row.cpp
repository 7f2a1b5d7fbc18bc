// SPDX-License-Identifier: Apache-2.0
// Strategy strided_row: one block a row, whose elements may lie in runs and meet their channels in
// any order. The general one: it takes whatever no row strategy walks.
#include "backends/cuda/kernel_executable.hpp"
#include "backends/cuda/priorities.hpp"
#include "backends/cuda/row_cost_model.hpp"
#include "backends/cuda/row_space.hpp"
#include "backends/cuda/strategies.hpp"
#include "backends/cuda/strided_row_kernel.hpp"
#include "backends/cuda/strided_space.hpp"
#include "core/typed_variant.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace fastnorm::cuda {
namespace {

constexpr int fewest_threads_of_block = 64;

// No fit: what finding each vector's place and channel is expected to cost beside the same reads of
// contiguous rows, and what memory fetches for accesses of less than a sector.
constexpr double vector_cost = 1.2;
constexpr double element_cost = 1.6;
constexpr double sector_bytes = 32;

class StridedRow final : public TypedVariant<RowConfig> {
 public:
  std::string_view name() const noexcept override { return "strided_row"; }
  bool deterministic() const noexcept override { return true; }

  Support supports_problem(const Problem&, const DeviceInfo&) const override {
    return Support::yes();
  }

 private:
  /// What others walk as well, they walk faster.
  Support walks(const Problem& problem) const override {
    if (!walks_contiguous_rows(problem).ok) return Support::yes();
    return Support::no("a row's elements follow each other; block_row takes such rows");
  }

  Support supports_config(const Problem& problem, const DeviceInfo& device,
                          const RowConfig& config) const override {
    const int full = full_vec_width(problem.desc().x_type);
    if (config.vec_width != 1 && config.vec_width != full) {
      return Support::no("vec_width=" + std::to_string(config.vec_width) + " must be 1 or " +
                         std::to_string(full));
    }
    if (config.vec_width != 1 && !has_strided_vectors(problem)) {
      return Support::no("vec_width=" + std::to_string(config.vec_width) +
                         " must be 1 unless runs, strides and channels are multiples of it");
    }
    if (config.unroll != scalar_unroll) {
      return Support::no("unroll=" + std::to_string(config.unroll) + " must be " +
                         std::to_string(scalar_unroll));
    }
    const int most = largest_block(problem, device, config.shape());
    if (config.threads < fewest_threads_of_block || config.threads > most ||
        config.threads % 32 != 0) {
      return Support::no("threads=" + std::to_string(config.threads) +
                         " must be a multiple of 32 from 64 to " + std::to_string(most) +
                         " with this vec_width");
    }
    return Support::yes();
  }

  /// Blocks of which half the threads have something to load.
  std::vector<RowConfig> candidates(const Problem& problem,
                                    const DeviceInfo& device) const override {
    std::vector<RowConfig> list;
    RowConfig config;
    config.vec_width = has_strided_vectors(problem) ? full_vec_width(problem.desc().x_type) : 1;
    config.unroll = scalar_unroll;
    for (const int threads : {64, 128, 256, 512, 1024}) {
      if (threads > fewest_threads_of_block &&
          std::int64_t{threads} * config.vec_width / 2 >= problem.row_len()) {
        continue;
      }
      config.threads = threads;
      config.second_read = WalkOrder::forward;
      add_with_priorities(list, config, problem, device);
      if (!exceeds_l2(problem, device)) continue;
      config.second_read = WalkOrder::backward;
      add_with_priorities(list, config, problem, device);
    }
    return list;
  }

  double estimate(const Problem& problem, const DeviceInfo& device,
                  const RowConfig& config) const override {
    RowWork work;
    work.blocks = problem.rows();
    work.block_len = problem.row_len();
    const double run_bytes = static_cast<double>(problem.memory().run_len) *
                             static_cast<double>(size_of(problem.desc().x_type));
    return estimate_two_reads_us(problem, device, config, work) *
           (config.vec_width > 1 ? vector_cost : element_cost) *
           std::max(1.0, sector_bytes / run_bytes);
  }

  Result<std::unique_ptr<const Executable>> make(const Problem& problem, const DeviceInfo& device,
                                                 const RowConfig& config) const override {
    KernelLaunch launch;
    launch.name = "strided_row_kernel";
    launch.kernel = strided_row_kernel_address(problem.desc().x_type, config.shape());
    launch.blocks = grid_blocks(problem.rows());
    launch.threads = config.threads;
    if (Status status = launch.load(device.ordinal); !status.ok()) return status;
    return std::unique_ptr<const Executable>(
        std::make_unique<KernelExecutable<RowParams, StridedGeometry>>(
            problem, device.ordinal, row_params(problem, config.cache()), &all_start_at_vectors,
            config.vec_width, launch, strided_geometry(problem)));
  }

  Result<std::unique_ptr<const Executable>> make_fallback(const Problem& problem,
                                                          const DeviceInfo& device,
                                                          const RowConfig& config) const override {
    if (config.vec_width == 1) return std::unique_ptr<const Executable>();
    return make(problem, device, scalar(config));
  }
};

}  // namespace

const KernelVariant& strided_row_variant() {
  static const KernelVariant& variant = *new StridedRow;
  return variant;
}

}  // namespace fastnorm::cuda
