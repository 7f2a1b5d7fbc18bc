// SPDX-License-Identifier: Apache-2.0
#include "backends/kokkos/cuda_lanes_executable.hpp"
#include "backends/kokkos/cuda_strategies.hpp"
#include "backends/kokkos/cuda_team_strategy.hpp"
#include "backends/kokkos/team_kernels.hpp"

namespace fastnorm::kokkos {
namespace {

struct LanesRowConfig {
  int lanes = 32;  ///< A row.
  int vec_width = 1;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("lanes", self.lanes);
    visit("vec_width", self.vec_width);
  }
};

constexpr std::array<int, 4> lane_counts{32, 16, 8, 4};

class CudaLanesRow final : public TeamStrategy<LanesRowConfig> {
 public:
  std::string_view name() const noexcept override { return "lanes_row"; }

 private:
  Support supports_config(const Problem& problem, const DeviceInfo&,
                          const LanesRowConfig& config) const override {
    const Support support = one_of("lanes", config.lanes, lane_counts);
    return support.ok ? supports_pack(problem, config.vec_width) : support;
  }

  std::vector<LanesRowConfig> candidates(const Problem& problem, const DeviceInfo&) const override {
    std::vector<LanesRowConfig> all;
    for (const int width : vec_widths(problem)) {
      for (const int lanes : lane_counts) all.push_back({lanes, width});
    }
    return all;
  }

  double estimate(const Problem& problem, const DeviceInfo& device,
                  const LanesRowConfig& config) const override {
    return two_reads_us(problem, device, config.lanes, packs_in_flight(problem, config.vec_width),
                        exchange_us(config.lanes), 1.0);
  }

  Result<std::unique_ptr<const Executable>> make(const Problem& problem, const DeviceInfo&,
                                                 const LanesRowConfig& config) const override {
    return make_for(
        problem, config.vec_width, [&](auto tag, auto width) -> std::unique_ptr<const Executable> {
          using T = typename decltype(tag)::type;
          return std::make_unique<LanesExecutable<DensePasses<T, width()>>>(problem, config.lanes);
        });
  }
};

}  // namespace

const KernelVariant& cuda_lanes_row() {
  static const KernelVariant& lanes_row = *new CudaLanesRow;
  return lanes_row;
}

}  // namespace fastnorm::kokkos
