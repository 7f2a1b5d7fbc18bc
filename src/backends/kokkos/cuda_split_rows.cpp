// SPDX-License-Identifier: Apache-2.0
#include "backends/kokkos/cuda_split_strategy.hpp"
#include "backends/kokkos/cuda_strategies.hpp"
#include "backends/kokkos/team_kernels.hpp"

namespace fastnorm::kokkos {
namespace {

struct TeamSplitConfig {
  int team_size = 256;
  int vec_width = 1;
  int splits = 1;  ///< Parts a row, at most.

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("team_size", self.team_size);
    visit("vec_width", self.vec_width);
    visit("splits", self.splits);
  }
};

class CudaSplitRows final : public TeamStrategy<TeamSplitConfig> {
 public:
  std::string_view name() const noexcept override { return "split_rows"; }

 private:
  Support supports_config(const Problem& problem, const DeviceInfo&,
                          const TeamSplitConfig& config) const override {
    if (Support support = one_of("team_size", config.team_size, team_sizes); !support.ok) {
      return support;
    }
    const Support support = supports_pack(problem, config.vec_width);
    return support.ok ? in_range("splits", config.splits, 1, max_splits) : support;
  }

  std::vector<TeamSplitConfig> candidates(const Problem& problem,
                                          const DeviceInfo&) const override {
    std::vector<TeamSplitConfig> all;
    for (const int width : vec_widths(problem)) {
      for (const int splits : split_counts(problem)) {
        for (const int size : split_team_sizes) all.push_back({size, width, splits});
      }
    }
    return all;
  }

  double estimate(const Problem& problem, const DeviceInfo& device,
                  const TeamSplitConfig& config) const override {
    return split_us(problem, device, config.splits, config.team_size,
                    packs_in_flight(problem, config.vec_width), 1.0);
  }

  Result<std::unique_ptr<const Executable>> make(const Problem& problem, const DeviceInfo&,
                                                 const TeamSplitConfig& config) const override {
    return make_for(problem, config.vec_width,
                    [&](auto tag, auto width) -> std::unique_ptr<const Executable> {
                      using T = typename decltype(tag)::type;
                      return std::make_unique<SplitExecutable<DensePasses<T, width()>>>(
                          problem, config.splits, config.team_size);
                    });
  }
};

}  // namespace

const KernelVariant& cuda_split_rows() {
  static const KernelVariant& split_rows = *new CudaSplitRows;
  return split_rows;
}

}  // namespace fastnorm::kokkos
