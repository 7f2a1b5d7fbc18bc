// SPDX-License-Identifier: Apache-2.0
#include "backends/kokkos/cuda_strategies.hpp"
#include "backends/kokkos/cuda_team_strategy.hpp"
#include "backends/kokkos/team_kernels.hpp"

namespace fastnorm::kokkos {
namespace {

struct TeamRowConfig {
  int team_size = 256;
  int vec_width = 1;

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
    return dispatch_teams("fastnorm::rows", {space.value(), league_size(call_.rows), team_size_},
                          TeamRow<Kokkos::Cuda, DensePasses<T, Width>>{call_.with(args)});
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
    const Support support = one_of("team_size", config.team_size, team_sizes);
    return support.ok ? supports_pack(problem, config.vec_width) : support;
  }

  std::vector<TeamRowConfig> candidates(const Problem& problem, const DeviceInfo&) const override {
    std::vector<TeamRowConfig> all;
    for (const int width : vec_widths(problem)) {
      for (const int size : team_sizes) all.push_back({size, width});
    }
    return all;
  }

  double estimate(const Problem& problem, const DeviceInfo& device,
                  const TeamRowConfig& config) const override {
    return two_reads_us(problem, device, config.team_size,
                        packs_in_flight(problem, config.vec_width), exchange_us(config.team_size),
                        1.0);
  }

  Result<std::unique_ptr<const Executable>> make(const Problem& problem, const DeviceInfo&,
                                                 const TeamRowConfig& config) const override {
    return make_for(problem, config.vec_width,
                    [&](auto tag, auto width) -> std::unique_ptr<const Executable> {
                      using T = typename decltype(tag)::type;
                      return std::make_unique<TeamRowExecutable<T, width()>>(problem, config);
                    });
  }
};

}  // namespace

const KernelVariant& cuda_team_row() {
  static const KernelVariant& team_row = *new CudaTeamRow;
  return team_row;
}

}  // namespace fastnorm::kokkos
