// SPDX-License-Identifier: Apache-2.0
#include "backends/kokkos/cuda_split_strategy.hpp"
#include "backends/kokkos/cuda_strategies.hpp"
#include "backends/kokkos/strided_kernels.hpp"

namespace fastnorm::kokkos {
namespace {

struct StridedRowsConfig {
  int team_size = 256;
  int splits = 1;  ///< Parts a row, at most.

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("team_size", self.team_size);
    visit("splits", self.splits);
  }
};

class CudaStridedRows final : public Strategy<StridedRowsConfig> {
 public:
  std::string_view name() const noexcept override { return "strided_rows"; }

 private:
  Support walks(const Problem&) const override { return Support::yes(); }

  Support supports_config(const Problem&, const DeviceInfo&,
                          const StridedRowsConfig& config) const override {
    const Support support = one_of("team_size", config.team_size, split_team_sizes);
    return support.ok ? in_range("splits", config.splits, 1, max_splits) : support;
  }

  std::vector<StridedRowsConfig> candidates(const Problem& problem,
                                            const DeviceInfo&) const override {
    std::vector<StridedRowsConfig> all;
    for (const int size : split_team_sizes) {
      all.push_back({size, 1});
      for (const int splits : split_counts(problem)) all.push_back({size, splits});
    }
    return all;
  }

  double estimate(const Problem& problem, const DeviceInfo& device,
                  const StridedRowsConfig& config) const override {
    using namespace strided_kernels_detail;
    // Parts of sectors.
    return split_us(problem, device, config.splits, config.team_size,
                    {reads_under_way, writes_under_way, places_us}, 2.0);
  }

  Result<std::unique_ptr<const Executable>> make(const Problem& problem, const DeviceInfo&,
                                                 const StridedRowsConfig& config) const override {
    return with_dtype(problem.desc().x_type, [&](auto tag) -> std::unique_ptr<const Executable> {
      using T = typename decltype(tag)::type;
      return std::make_unique<SplitExecutable<StridedPasses<T>>>(problem, config.splits,
                                                                 config.team_size);
    });
  }
};

}  // namespace

const KernelVariant& cuda_strided_rows() {
  static const KernelVariant& strided_rows = *new CudaStridedRows;
  return strided_rows;
}

}  // namespace fastnorm::kokkos
