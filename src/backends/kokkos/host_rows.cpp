// SPDX-License-Identifier: Apache-2.0
#include "backends/kokkos/host_cost.hpp"
#include "backends/kokkos/host_dispatch.hpp"
#include "backends/kokkos/host_strategies.hpp"
#include "backends/kokkos/lanes.hpp"
#include "backends/kokkos/row_passes.hpp"

namespace fastnorm::kokkos {
namespace {

struct RowsConfig {
  int lanes = 32;    ///< Independent accumulators.
  int block = 1024;  ///< Elements a statistics block.

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("lanes", self.lanes);
    visit("block", self.block);
  }
};

template <class Passes, int Lanes>
struct NormalizeRow {
  Normalization call;
  std::int64_t block;

  void operator()(std::int64_t row) const {
    const Moments moments = Passes::template moments<Lanes>(call, row, 0, call.row_len, block);
    const auto standardizer = Standardizer<typename Passes::Acc>::of(moments, call.eps);
    store_statistics(call, row, standardizer, moments);
    Passes::apply(call, standardizer, row, 0, call.row_len);
  }
};

template <class Acc, int Lanes>
class RowsExecutable final : public HostExecutable {
 public:
  RowsExecutable(const Problem& problem, const RowsConfig& config)
      : call_(Normalization::of(problem)), block_(config.block) {}

  std::size_t workspace_bytes() const noexcept override { return 0; }

  Status launch(const NormArgs& args, void*, Stream) const override {
    if (Status status = check_runtime(); !status.ok()) return status;
    const Normalization call = call_.with(args);
    return with_passes<Acc>(call, [&](auto passes) {
      return for_each("fastnorm::rows", call.rows,
                      NormalizeRow<decltype(passes), Lanes>{call, block_});
    });
  }

 private:
  Normalization call_;
  std::int64_t block_;
};

class Rows final : public Strategy<RowsConfig> {
 public:
  std::string_view name() const noexcept override { return "rows"; }

 private:
  /// In whatever pieces a row lies.
  Support walks(const Problem&) const override { return Support::yes(); }

  Support supports_config(const Problem&, const DeviceInfo&,
                          const RowsConfig& config) const override {
    return supports_loops(config.lanes, config.block);
  }

  std::vector<RowsConfig> candidates(const Problem& problem, const DeviceInfo&) const override {
    std::vector<RowsConfig> all;
    for (const int block : block_sizes) {
      // A block beyond the row's end is the same as the one before it.
      if (block > block_sizes.front() && block / 2 >= problem.row_len()) break;
      for (const int lanes : lane_counts) all.push_back({lanes, block});
    }
    return all;
  }

  double estimate(const Problem& problem, const DeviceInfo& device,
                  const RowsConfig&) const override {
    const bool cached = input_bytes(problem, problem.row_len()) <=
                        static_cast<double>(host_cost::cache_per_thread(device));
    return host_cost::dispatch_us(device) +
           host_cost::rounds(problem.rows(), device) *
               host_cost::passes_us(problem, problem.row_len(), cached ? 1 : 2) *
               host_cost::scattered_share(problem);
  }

  Result<std::unique_ptr<const Executable>> make(const Problem& problem, const DeviceInfo&,
                                                 const RowsConfig& config) const override {
    return with_accumulator(problem.accumulation_type(), [&](auto tag) {
      using Acc = typename decltype(tag)::type;
      return with_lanes(config.lanes, [&](auto lanes) -> std::unique_ptr<const Executable> {
        return std::make_unique<RowsExecutable<Acc, lanes()>>(problem, config);
      });
    });
  }
};

}  // namespace

const KernelVariant& host_rows() {
  static const KernelVariant& rows = *new Rows;
  return rows;
}

}  // namespace fastnorm::kokkos
