// SPDX-License-Identifier: Apache-2.0
#include "backends/kokkos/column_kernels.hpp"
#include "backends/kokkos/cuda_split_strategy.hpp"
#include "backends/kokkos/cuda_strategies.hpp"
#include "core/column_matrix.hpp"

namespace fastnorm::kokkos {
namespace {

struct ColumnsConfig {
  int team_size = 256;
  int vec_width = 1;
  int splits = 1;  ///< Parts of a sample's positions, at most.

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("team_size", self.team_size);
    visit("vec_width", self.vec_width);
    visit("splits", self.splits);
  }
};

constexpr std::array<int, 2> column_team_sizes{256, 128};

/// Each column of a pack has its sums in registers: packs of 8 bytes.
std::array<int, 2> column_widths(const Problem& problem) {
  return {std::max(widest_pack_of(problem) / 2, 1), 1};
}

template <class T, int Width>
class ColumnsExecutable final : public Executable {
 public:
  ColumnsExecutable(const Problem& problem, const ColumnsConfig& config)
      : team_size_(config.team_size) {
    tasks_.call = Normalization::of(problem);
    tasks_.matrix = *column_matrix(problem);
    tasks_.teams = ColumnTeams::of(tasks_.matrix, config.team_size, Width);
    tasks_.parts = Parts::of(tasks_.matrix.positions, config.splits);
  }

  std::size_t workspace_bytes() const noexcept override {
    return static_cast<std::size_t>(tasks_.call.rows * tasks_.parts.per_row) * sizeof(Moments);
  }
  bool accepts(const NormArgs& args) const noexcept override {
    return aligned_to_pack(tasks_.call, args, Width);
  }

  Status launch(const NormArgs& args, void* workspace, Stream stream) const override {
    if (Status status = check_runtime(); !status.ok()) return status;
    const Result<Kokkos::Cuda> space = cuda_space(stream);
    if (!space.ok()) return space.status();
    ColumnTasks tasks = tasks_;
    tasks.call = tasks_.call.with(args);
    tasks.partials = static_cast<Moments*>(workspace);
    const Status status = dispatch("fastnorm::column_parts", space.value(),
                                   ColumnReducePart<Kokkos::Cuda, T, Width>{tasks});
    if (!status.ok()) return status;
    return dispatch("fastnorm::column_apply", space.value(),
                    ColumnApplyPart<Kokkos::Cuda, T, Width>{tasks});
  }

 private:
  template <class Functor>
  Status dispatch(const char* label, const Kokkos::Cuda& space, const Functor& functor) const {
    TeamPolicy<Kokkos::Cuda> teams(space, league_size(tasks_.count()), team_size_);
    teams.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(functor.scratch_bytes())));
    return dispatch_teams(label, teams, functor);
  }

  ColumnTasks tasks_{};
  int team_size_;
};

class CudaColumns final : public TeamStrategy<ColumnsConfig> {
 public:
  std::string_view name() const noexcept override { return "columns"; }

 private:
  Support walks(const Problem& problem) const override {
    const std::optional<ColumnMatrix> matrix = column_matrix(problem);
    if (!matrix) return no_column_matrix(problem);
    if (matrix->affine != AffineAxis::column) {
      return Support::no("gamma and beta must be those of the columns");
    }
    if (matrix->group_width > column_team_sizes.front()) {
      return Support::no("a group must have no more columns than a team has threads");
    }
    return Support::yes();
  }

  Support supports_config(const Problem& problem, const DeviceInfo&,
                          const ColumnsConfig& config) const override {
    if (Support support = one_of("team_size", config.team_size, column_team_sizes); !support.ok) {
      return support;
    }
    if (Support support = one_of("vec_width", config.vec_width, column_widths(problem));
        !support.ok) {
      return support;
    }
    const ColumnMatrix matrix = *column_matrix(problem);
    if (matrix.group_width > config.team_size) {
      return Support::no("team_size=" + std::to_string(config.team_size) +
                         " must be a thread for every column of a group");
    }
    if (ColumnTeams::of(matrix, config.team_size, config.vec_width).lines == 0 ||
        !fills_packs(matrix, config.vec_width)) {
      return Support::no("vec_width=" + std::to_string(config.vec_width) +
                         " must divide the columns of a tile and the distances of positions");
    }
    return in_range("splits", config.splits, 1, max_splits);
  }

  std::vector<ColumnsConfig> candidates(const Problem& problem,
                                        const DeviceInfo& device) const override {
    const ColumnMatrix matrix = *column_matrix(problem);
    std::vector<ColumnsConfig> all;
    for (const int width : column_widths(problem)) {
      for (const int size : column_team_sizes) {
        std::int64_t parts_before = 0;
        for (int splits = 1; splits <= max_splits; splits *= 2) {
          const std::int64_t parts = Parts::of(matrix.positions, splits).per_row;
          const ColumnsConfig config{size, width, splits};
          if (parts == parts_before || !supports_config(problem, device, config).ok) continue;
          parts_before = parts;
          all.push_back(config);
        }
      }
      if (width == 1) break;  // Of doubles, the widest pack.
    }
    return all;
  }

  double estimate(const Problem& problem, const DeviceInfo& device,
                  const ColumnsConfig& config) const override {
    constexpr double merge_us = 0.2;
    const ColumnMatrix matrix = *column_matrix(problem);
    const ColumnTeams teams = ColumnTeams::of(matrix, config.team_size, config.vec_width);
    const Parts parts = Parts::of(matrix.positions, config.splits);
    const double tasks = static_cast<double>(matrix.samples * teams.tiles * parts.per_row);
    const std::int64_t elements = parts.part_len * teams.groups * teams.group_width;
    const double read_bytes = input_bytes(problem, elements);
    const bool cached = found_again(device, read_bytes * tasks);
    const double rounds = load_rounds(parts.part_len, teams.lines, positions_under_way);
    const double of_group = config.vec_width + std::log2(static_cast<double>(teams.lines)) +
                            static_cast<double>(teams.group_width);
    const double of_merger =
        static_cast<double>(parts.per_row) / static_cast<double>(teams.mergers());
    const double exchange = exchange_us(config.team_size);
    const DevicePass first{tasks, read_bytes,
                           rounds * memory_load_us + of_group * merge_us + exchange,
                           config.team_size};
    const DevicePass second{
        tasks, output_bytes(problem, elements) + (cached ? 0.3 : 1.0) * read_bytes,
        rounds * (cached ? cached_load_us : memory_load_us) + of_merger * merge_us + exchange,
        config.team_size};
    return 2 * launch_us + first.us(device) + second.us(device);
  }

  Result<std::unique_ptr<const Executable>> make(const Problem& problem, const DeviceInfo&,
                                                 const ColumnsConfig& config) const override {
    return with_dtype(problem.desc().x_type, [&](auto tag) -> std::unique_ptr<const Executable> {
      using T = typename decltype(tag)::type;
      if (config.vec_width == 1) return std::make_unique<ColumnsExecutable<T, 1>>(problem, config);
      return std::make_unique<ColumnsExecutable<T, std::max(widest_pack<T> / 2, 1)>>(problem,
                                                                                     config);
    });
  }
};

}  // namespace

const KernelVariant& cuda_columns() {
  static const KernelVariant& columns = *new CudaColumns;
  return columns;
}

}  // namespace fastnorm::kokkos
