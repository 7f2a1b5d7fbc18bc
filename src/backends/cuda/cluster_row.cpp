// SPDX-License-Identifier: Apache-2.0
// Strategy cluster_row: a thread-block cluster a row, each of whose blocks keeps a part of it in
// registers. For rows that one block cannot keep, and for rows that are too few for one block each.
#include "backends/cuda/cluster_row_kernel.hpp"
#include "backends/cuda/coresidency.hpp"
#include "backends/cuda/hopper_code.hpp"
#include "backends/cuda/kernel_executable.hpp"
#include "backends/cuda/resident_space.hpp"
#include "backends/cuda/row_cost_model.hpp"
#include "backends/cuda/row_variant.hpp"
#include "backends/cuda/strategies.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace fastnorm::cuda {
namespace {

/// Parts start at a multiple of a cache line and are worth a block.
constexpr std::int64_t part_grain = 64;
constexpr std::int64_t least_part_len = 512;

/// The sums over the block, and a round of the cluster's barrier and memory; with what the largest
/// lose, whose blocks begin and end as one.
double reduction_us(int cluster) { return 1.9 + 0.145 * cluster; }

std::int64_t part_length(const Problem& problem, int cluster) {
  const std::int64_t even = (problem.row_len() + cluster - 1) / cluster;
  return (even + part_grain - 1) / part_grain * part_grain;
}

std::int64_t parts_of(const Problem& problem, int cluster) {
  const std::int64_t length = part_length(problem, cluster);
  return (problem.row_len() + length - 1) / length;
}

class ClusterRow final : public RowVariant<ClusterRowConfig> {
 public:
  explicit ClusterRow(ResidentBlocks resident_blocks)
      : resident_blocks_(std::move(resident_blocks)) {}

  std::string_view name() const noexcept override { return "cluster_row"; }
  bool deterministic() const noexcept override { return true; }

  Support supports_problem(const Problem& problem, const DeviceInfo& device) const override {
    if (Support support = supports_hopper_code(device, "clusters"); !support.ok) return support;
    if (problem.row_len() < 2 * least_part_len) {
      return Support::no("rows of " + std::to_string(problem.row_len()) +
                         " elements are too short for a cluster; at least " +
                         std::to_string(2 * least_part_len));
    }
    const std::int64_t most =
        most_cluster_blocks * (longest_part_of_block(problem, device) / part_grain * part_grain);
    if (problem.row_len() > most) {
      return Support::no("rows of " + std::to_string(problem.row_len()) +
                         " elements do not fit a cluster's registers; at most " +
                         std::to_string(most));
    }
    if (problem.rows() > most_grid_blocks / most_cluster_blocks) {
      return Support::no(std::to_string(problem.rows()) +
                         " rows are more than a grid has clusters");
    }
    return supports_resident(problem);
  }

 private:
  bool blocks_wait(const ClusterRowConfig&) const override { return true; }

  Support supports_config(const Problem& problem, const DeviceInfo& device,
                          const ClusterRowConfig& config) const override {
    if (!is_cluster_size(config.cluster)) {
      return Support::no("cluster=" + std::to_string(config.cluster) + " must be from 2 to " +
                         std::to_string(most_cluster_blocks));
    }
    if (problem.row_len() < config.cluster * least_part_len ||
        parts_of(problem, config.cluster) != config.cluster) {
      return Support::no("cluster=" + std::to_string(config.cluster) + " is too many for rows of " +
                         std::to_string(problem.row_len()) + " elements");
    }
    if (Support support =
            supports_resident_config(problem, device, config, resident_max_threads(config.unroll));
        !support.ok) {
      return support;
    }
    const std::int64_t most = resident_capacity(config.threads, config.vec_width, config.unroll);
    const std::int64_t length = part_length(problem, config.cluster);
    if (length > most) {
      return Support::no("threads=" + std::to_string(config.threads) + ",unroll=" +
                         std::to_string(config.unroll) + " hold " + std::to_string(most) +
                         " elements; a block's part of the row has " + std::to_string(length));
    }
    return Support::yes();
  }

  /// For each cluster size and unroll the one block that has just enough threads.
  std::vector<ClusterRowConfig> candidates(const Problem& problem,
                                           const DeviceInfo& device) const override {
    std::vector<ClusterRowConfig> list;
    ClusterRowConfig config;
    config.vec_width = widest_load(problem);
    // Sizes between were faster for none of the workloads.
    for (const int cluster : {2, 4, 8, most_cluster_blocks}) {
      config.cluster = cluster;
      add_fitting_blocks(list, config, part_length(problem, cluster), problem, device);
    }
    return list;
  }

  double estimate(const Problem& problem, const DeviceInfo& device,
                  const ClusterRowConfig& config) const override {
    ResidentWork work;
    work.blocks = problem.rows() * config.cluster;
    work.block_len = static_cast<double>(problem.row_len()) / config.cluster;
    work.thread_vectors = most_thread_vectors(work.block_len, config);
    work.reduction_us = reduction_us(config.cluster);
    work.cluster = config.cluster;
    return estimate_one_read_us(problem, device, config, work);
  }

  Result<std::unique_ptr<const Executable>> make(const Problem& problem, const DeviceInfo& device,
                                                 const ClusterRowConfig& config) const override {
    KernelLaunch launch;
    launch.name = "cluster_row_kernel";
    launch.least_ptx_version = hopper_ptx_version;
    launch.kernel =
        cluster_row_kernel_address(problem.desc().x_type, config.shape(), row_form(problem));
    launch.blocks = static_cast<unsigned int>(problem.rows() * config.cluster);
    launch.threads = config.threads;
    launch.cluster_blocks = config.cluster;
    const Result<std::int64_t> room = load_with_room(launch, device, resident_blocks_);
    if (!room.ok()) return room.status();
    const int part_len = static_cast<int>(part_length(problem, config.cluster));
    return std::unique_ptr<const Executable>(std::make_unique<KernelExecutable<RowParams, int>>(
        problem, device.ordinal, row_params(problem, config.cache()), &same_vector_phase,
        config.vec_width, launch, part_len));
  }

  /// Not a cluster again: that would find no room either.
  Result<std::unique_ptr<const Executable>> make_fallback(const Problem& problem,
                                                          const DeviceInfo& device,
                                                          const ClusterRowConfig&) const override {
    return prepare_scalar_block_row(problem, device);
  }

  const ResidentBlocks resident_blocks_;
};

}  // namespace

std::unique_ptr<const KernelVariant> make_cluster_row(ResidentBlocks resident_blocks) {
  return std::make_unique<ClusterRow>(std::move(resident_blocks));
}

const KernelVariant& cluster_row_variant() {
  static const KernelVariant& variant = *make_cluster_row(resident_blocks).release();
  return variant;
}

}  // namespace fastnorm::cuda
