// SPDX-License-Identifier: Apache-2.0
// Strategy window_row: a persistent grid whose teams of blocks take a row's moments one row ahead
// of its output, and read it again for that while the L2 may still have it. For rows that no
// processor can hold, on devices of any kind.
#include "backends/cuda/coresidency.hpp"
#include "backends/cuda/kernel_launch.hpp"
#include "backends/cuda/message_executable.hpp"
#include "backends/cuda/priorities.hpp"
#include "backends/cuda/row_cost_model.hpp"
#include "backends/cuda/row_space.hpp"
#include "backends/cuda/row_variant.hpp"
#include "backends/cuda/split_space.hpp"
#include "backends/cuda/strategies.hpp"
#include "backends/cuda/team_space.hpp"
#include "backends/cuda/window_row_kernel.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace fastnorm::cuda {
namespace {

/// The share of the L2 that rows between their two reads may fill. On an H200 the L2 serves hardly
/// any of so much a second time; but with less, every block waits longer than it reads.
constexpr double l2_share = 0.55;

/// Rows of a team that lie between their reads: one that is written, one whose moments are taken.
constexpr std::int64_t rows_of_team = 2;

double row_bytes(const Problem& problem) {
  return static_cast<double>(problem.row_len()) *
         static_cast<double>(size_of(problem.desc().x_type)) * input_tensors(problem);
}

std::int64_t blocks_on_device(const Problem& problem, const DeviceInfo& device,
                              const WindowConfig& config) {
  const int threads = largest_block(problem, device, config.shape());
  return std::int64_t{device.processors} * std::max(1, threads / config.threads);
}

/// Teams that the device has room for, and those whose rows the L2 has room for.
struct TeamRoom {
  std::int64_t on_device;
  std::int64_t in_l2;
};

TeamRoom team_room(const Problem& problem, const DeviceInfo& device, const WindowConfig& config) {
  const RowSplit split = split_of(problem.row_len(), config.blocks_per_row);
  const double l2_bytes = l2_share * static_cast<double>(device.l2_bytes);
  return {blocks_on_device(problem, device, config) / split.parts,
          static_cast<std::int64_t>(l2_bytes / (rows_of_team * row_bytes(problem)))};
}

WindowShape shape_of(const Problem& problem, const DeviceInfo& device, const WindowConfig& config) {
  const TeamRoom room = team_room(problem, device, config);
  WindowShape shape;
  shape.split = split_of(problem.row_len(), config.blocks_per_row);
  // One at least, so that what an empty problem would take can be estimated.
  shape.teams = static_cast<int>(
      std::max<std::int64_t>(1, std::min({problem.rows(), room.on_device, room.in_l2})));
  return shape;
}

unsigned int blocks_of(const WindowShape& shape) {
  return static_cast<unsigned int>(shape.teams * shape.split.parts);
}

class WindowRow final : public RowVariant<WindowConfig> {
 public:
  explicit WindowRow(ResidentBlocks resident_blocks)
      : resident_blocks_(std::move(resident_blocks)) {}

  std::string_view name() const noexcept override { return "window_row"; }
  bool deterministic() const noexcept override { return true; }

  Support supports_problem(const Problem& problem, const DeviceInfo&) const override {
    return supports_split(problem);
  }

 private:
  bool blocks_wait(const WindowConfig& config) const override { return config.blocks_per_row > 1; }

  Support supports_config(const Problem& problem, const DeviceInfo& device,
                          const WindowConfig& config) const override {
    const int most = most_blocks_per_row(problem, device);
    if (config.blocks_per_row < 1 || config.blocks_per_row > most) {
      return Support::no(
          "blocks_per_row=" + std::to_string(config.blocks_per_row) + " must be from 1 to " +
          std::to_string(most) +
          (device.cooperative_launch ? "" : " on a device without cooperative launches"));
    }
    return supports_row_config(problem, device, config);
  }

  /// Blocks of which a processor has room for two, one or four.
  std::vector<WindowConfig> candidates(const Problem& problem,
                                       const DeviceInfo& device) const override {
    std::vector<WindowConfig> list;
    WindowConfig config;
    config.vec_width = widest_load(problem);
    for (const int beside : {2, 1, 4}) {
      for (const int unroll : {4, 1}) {
        config.unroll = unroll;
        config.threads = largest_block(problem, device, config.shape()) / beside;
        for (const int blocks : window_team_sizes(problem, device, config)) {
          config.blocks_per_row = blocks;
          add_with_priorities(list, config, problem, device);
        }
      }
    }
    if (exceeds_l2(problem, device)) {
      list.push_back(list.front());
      list.back().second_read = WalkOrder::backward;
    }
    return list;
  }

  double estimate(const Problem& problem, const DeviceInfo& device,
                  const WindowConfig& config) const override {
    const WindowShape shape = shape_of(problem, device, config);
    WindowWork work;
    work.teams = shape.teams;
    work.blocks_per_row = shape.split.parts;
    work.part_len = shape.split.part_len;
    work.rounds = (problem.rows() + shape.teams - 1) / shape.teams;
    work.bytes_between_reads =
        static_cast<double>(shape.teams * std::min(work.rounds, rows_of_team)) * row_bytes(problem);
    return estimate_window_us(problem, device, config, work);
  }

  Result<std::unique_ptr<const Executable>> make(const Problem& problem, const DeviceInfo& device,
                                                 const WindowConfig& config) const override {
    WindowShape shape = shape_of(problem, device, config);
    const std::int64_t parts = shape.split.parts;
    KernelLaunch launch;
    launch.name = "window_row_kernel";
    launch.kernel = window_row_kernel_address(problem.desc().x_type, config.shape());
    launch.threads = config.threads;
    if (parts > 1) launch.grid = GridKind::cooperative;
    // One team must find room.
    launch.blocks = static_cast<unsigned int>(parts);
    const Result<std::int64_t> room = load_with_room(launch, device, resident_blocks_);
    if (!room.ok()) return room.status();
    shape.teams = static_cast<int>(std::clamp<std::int64_t>(room.value() / parts, 1, shape.teams));
    launch.blocks = blocks_of(shape);
    return std::unique_ptr<const Executable>(
        std::make_unique<MessageExecutable<RowParams, WindowShape>>(
            problem, device.ordinal, row_params(problem, config.cache()), &same_vector_phase,
            config.vec_width, shape, parts > 1 ? problem.rows() * parts : 0, launch));
  }

  /// Not a team again: that would find no room either.
  Result<std::unique_ptr<const Executable>> make_fallback(const Problem& problem,
                                                          const DeviceInfo& device,
                                                          const WindowConfig&) const override {
    return prepare_scalar_block_row(problem, device);
  }

  static int most_blocks_per_row(const Problem& problem, const DeviceInfo& device) {
    return static_cast<int>(
        std::min<std::int64_t>(largest_team(device), worthwhile_parts(problem)));
  }

  /// Each cuts a row into another number of parts; they fit if the L2 has room for the rows of as
  /// many teams as the device has room for.
  static std::vector<int> window_team_sizes(const Problem& problem, const DeviceInfo& device,
                                            WindowConfig config) {
    std::vector<int> possible;
    std::int64_t last_parts = 0;
    for (const int blocks : powers_and_shares(most_blocks_per_row(problem, device))) {
      const std::int64_t parts = split_of(problem.row_len(), blocks).parts;
      if (parts > last_parts) possible.push_back(blocks);
      last_parts = parts;
    }
    return team_sizes(possible, problem.rows(), device, [&](int blocks) {
      config.blocks_per_row = blocks;
      const TeamRoom room = team_room(problem, device, config);
      return room.on_device <= room.in_l2;
    });
  }

  const ResidentBlocks resident_blocks_;
};

}  // namespace

std::unique_ptr<const KernelVariant> make_window_row(ResidentBlocks resident_blocks) {
  return std::make_unique<WindowRow>(std::move(resident_blocks));
}

const KernelVariant& window_row_variant() {
  static const KernelVariant& variant = *make_window_row(resident_blocks).release();
  return variant;
}

}  // namespace fastnorm::cuda
