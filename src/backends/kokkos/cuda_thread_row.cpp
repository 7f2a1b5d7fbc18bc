// SPDX-License-Identifier: Apache-2.0
#include "backends/kokkos/cuda_lanes_executable.hpp"
#include "backends/kokkos/cuda_strategies.hpp"
#include "backends/kokkos/strided_kernels.hpp"

namespace fastnorm::kokkos {
namespace {

struct ThreadRowConfig {
  int lanes = 1;  ///< A row.

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("lanes", self.lanes);
  }
};

constexpr std::array<int, 2> lane_counts{1, 8};

class CudaThreadRow final : public Strategy<ThreadRowConfig> {
 public:
  std::string_view name() const noexcept override { return "thread_row"; }

 private:
  Support walks(const Problem&) const override { return Support::yes(); }

  Support supports_config(const Problem&, const DeviceInfo&,
                          const ThreadRowConfig& config) const override {
    return one_of("lanes", config.lanes, lane_counts);
  }

  std::vector<ThreadRowConfig> candidates(const Problem&, const DeviceInfo&) const override {
    return {{1}, {8}};
  }

  double estimate(const Problem& problem, const DeviceInfo& device,
                  const ThreadRowConfig& config) const override {
    using namespace strided_kernels_detail;
    // Neighbouring threads share a sector where their rows lie side by side.
    const double excess = problem.memory().x.row == 1 ? config.lanes : 8.0;
    return two_reads_us(problem, device, config.lanes,
                        {reads_under_way, writes_under_way, places_us}, exchange_us(config.lanes),
                        excess);
  }

  Result<std::unique_ptr<const Executable>> make(const Problem& problem, const DeviceInfo&,
                                                 const ThreadRowConfig& config) const override {
    return with_dtype(problem.desc().x_type, [&](auto tag) -> std::unique_ptr<const Executable> {
      using T = typename decltype(tag)::type;
      return std::make_unique<LanesExecutable<StridedPasses<T>>>(problem, config.lanes);
    });
  }
};

}  // namespace

const KernelVariant& cuda_thread_row() {
  static const KernelVariant& thread_row = *new CudaThreadRow;
  return thread_row;
}

}  // namespace fastnorm::kokkos
