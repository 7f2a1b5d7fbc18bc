// SPDX-License-Identifier: Apache-2.0
#include "backends/kokkos/cuda_strategies.hpp"
#include "backends/kokkos/cuda_team_strategy.hpp"
#include "backends/kokkos/parts.hpp"

namespace fastnorm::kokkos {
namespace {

struct TeamSplitConfig {
  int team_size = 256;
  int vec_width = 4;
  int splits = 1;  ///< Parts a row, at most.

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("team_size", self.team_size);
    visit("vec_width", self.vec_width);
    visit("splits", self.splits);
  }
};

constexpr int max_splits = 1024;

template <class T, int Width>
class TeamSplitExecutable final : public Executable {
 public:
  TeamSplitExecutable(const Problem& problem, const TeamSplitConfig& config)
      : call_(Normalization::of(problem)),
        parts_(Parts::of(problem.row_len(), config.splits)),
        team_size_(config.team_size) {}

  std::size_t workspace_bytes() const noexcept override {
    return static_cast<std::size_t>(tasks()) * sizeof(Moments);
  }
  bool accepts(const NormArgs& args) const noexcept override {
    return aligned_to_pack(call_, args, Width);
  }

  Status launch(const NormArgs& args, void* workspace, Stream stream) const override {
    if (Status status = check_runtime(); !status.ok()) return status;
    const Result<Kokkos::Cuda> space = cuda_space(stream);
    if (!space.ok()) return space.status();
    const Normalization call = call_.with(args);
    auto* partials = static_cast<Moments*>(workspace);
    if (Status status =
            dispatch_teams("fastnorm::parts", space.value(), tasks(), team_size_,
                           TeamReducePart<Kokkos::Cuda, T, Width>{call, parts_, partials});
        !status.ok()) {
      return status;
    }
    return dispatch_teams("fastnorm::apply", space.value(), tasks(), team_size_,
                          TeamApplyPart<Kokkos::Cuda, T, Width>{call, parts_, partials});
  }

 private:
  std::int64_t tasks() const noexcept { return call_.rows * parts_.per_row; }

  Normalization call_;
  Parts parts_;
  int team_size_;
};

class CudaSplitRows final : public TeamStrategy<TeamSplitConfig> {
 public:
  std::string_view name() const noexcept override { return "split_rows"; }

 private:
  Support supports_config(const Problem& problem, const DeviceInfo&,
                          const TeamSplitConfig& config) const override {
    if (config.vec_width > widest_pack(problem)) {
      return Support::no("vec_width=4 needs rows of a multiple of 4 elements");
    }
    const Support support = supports_teams(config.team_size, config.vec_width);
    return support.ok ? in_range("splits", config.splits, 1, max_splits) : support;
  }

  std::vector<TeamSplitConfig> candidates(const Problem& problem,
                                          const DeviceInfo&) const override {
    std::vector<TeamSplitConfig> all;
    for (const int width : vec_widths) {
      for (int splits = 2; splits <= max_splits; splits *= 2) {
        // Parts that do not fill a team are overhead only.
        if (splits > 2 && Parts::of(problem.row_len(), splits).part_len < 1024) break;
        for (const int size : team_sizes) all.push_back({size, width, splits});
      }
    }
    return all;
  }

  double estimate(const Problem& problem, const DeviceInfo& device,
                  const TeamSplitConfig& config) const override {
    const Parts parts = Parts::of(problem.row_len(), config.splits);
    const std::int64_t tasks = problem.rows() * parts.per_row;
    const double read_bytes = input_bytes(problem, parts.part_len);
    const double written_bytes = output_bytes(problem, parts.part_len);
    const double narrow = config.vec_width == 4 ? 1.0 : 1.2;
    const double merges_us = 0.01 * static_cast<double>(parts.per_row);
    return narrow * (kernel_us(device, tasks, read_bytes, config.team_size) +
                     kernel_us(device, tasks, read_bytes + written_bytes, config.team_size)) +
           merges_us;
  }

  Result<std::unique_ptr<const Executable>> make(const Problem& problem, const DeviceInfo&,
                                                 const TeamSplitConfig& config) const override {
    return with_dtype(problem.desc().x_type, [&](auto tag) {
      using T = typename decltype(tag)::type;
      return with_vec_width(config.vec_width, [&](auto width) -> std::unique_ptr<const Executable> {
        return std::make_unique<TeamSplitExecutable<T, width()>>(problem, config);
      });
    });
  }
};

}  // namespace

const KernelVariant& cuda_split_rows() {
  static const KernelVariant& split_rows = *new CudaSplitRows;
  return split_rows;
}

}  // namespace fastnorm::kokkos
