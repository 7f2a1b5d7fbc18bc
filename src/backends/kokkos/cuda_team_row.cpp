// SPDX-License-Identifier: Apache-2.0
#include "backends/kokkos/cuda_strategies.hpp"
#include "backends/kokkos/cuda_team_strategy.hpp"

namespace fastnorm::kokkos {
namespace {

struct TeamRowConfig {
  int team_size = 256;
  int vec_width = 4;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("team_size", self.team_size);
    visit("vec_width", self.vec_width);
  }
};

template <class T, int Width>
class TeamRowExecutable final : public Executable {
 public:
  TeamRowExecutable(const Problem& problem, const TeamRowConfig& config)
      : call_(Normalization::of(problem)), team_size_(config.team_size) {}

  std::size_t workspace_bytes() const noexcept override { return 0; }
  bool accepts(const NormArgs& args) const noexcept override {
    return aligned_to_pack(call_, args, Width);
  }

  Status launch(const NormArgs& args, void*, Stream stream) const override {
    if (Status status = check_runtime(); !status.ok()) return status;
    const Result<Kokkos::Cuda> space = cuda_space(stream);
    if (!space.ok()) return space.status();
    return dispatch_teams("fastnorm::rows", space.value(), call_.rows, team_size_,
                          TeamRow<Kokkos::Cuda, T, Width>{call_.with(args)});
  }

 private:
  Normalization call_;
  int team_size_;
};

class CudaTeamRow final : public TeamStrategy<TeamRowConfig> {
 public:
  std::string_view name() const noexcept override { return "team_row"; }

 private:
  Support supports_config(const Problem& problem, const DeviceInfo&,
                          const TeamRowConfig& config) const override {
    if (config.vec_width > widest_pack(problem)) {
      return Support::no("vec_width=4 needs rows of a multiple of 4 elements");
    }
    return supports_teams(config.team_size, config.vec_width);
  }

  std::vector<TeamRowConfig> candidates(const Problem&, const DeviceInfo&) const override {
    std::vector<TeamRowConfig> all;
    for (const int width : vec_widths) {
      for (const int size : team_sizes) all.push_back({size, width});
    }
    return all;
  }

  double estimate(const Problem& problem, const DeviceInfo& device,
                  const TeamRowConfig& config) const override {
    const double row_bytes =
        2 * input_bytes(problem, problem.row_len()) + output_bytes(problem, problem.row_len());
    const double narrow = config.vec_width == 4 ? 1.0 : 1.2;
    return narrow * kernel_us(device, problem.rows(), row_bytes, config.team_size);
  }

  Result<std::unique_ptr<const Executable>> make(const Problem& problem, const DeviceInfo&,
                                                 const TeamRowConfig& config) const override {
    return with_dtype(problem.desc().x_type, [&](auto tag) {
      using T = typename decltype(tag)::type;
      return with_vec_width(config.vec_width, [&](auto width) -> std::unique_ptr<const Executable> {
        return std::make_unique<TeamRowExecutable<T, width()>>(problem, config);
      });
    });
  }
};

}  // namespace

const KernelVariant& cuda_team_row() {
  static const KernelVariant& team_row = *new CudaTeamRow;
  return team_row;
}

}  // namespace fastnorm::kokkos
