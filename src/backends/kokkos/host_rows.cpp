// SPDX-License-Identifier: Apache-2.0
#include "backends/kokkos/host_cost.hpp"
#include "backends/kokkos/host_strategies.hpp"
#include "backends/kokkos/run_loops.hpp"

namespace fastnorm::kokkos {
namespace {

struct RowsConfig {
  int lanes = 32;    ///< Independent accumulators.
  int block = 1024;  ///< Elements a statistics block.
  int threads = 1;   ///< That share out the rows, at most.
  Stores store = Stores::cached;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("lanes", self.lanes);
    visit("block", self.block);
    visit("threads", self.threads);
    visit("store", self.store);
  }
};

/// Of the next row: all, where it comes from memory and does not displace what is being written.
std::int64_t elements_ahead(const Problem& problem, const DeviceInfo& device) {
  constexpr double share = 0.25;
  const bool has_room =
      input_bytes(problem, problem.row_len()) <= share * host_cost::private_cache(device);
  const bool from_memory = !host_cost::fits_private_caches(problem, device);
  return problem.dense_rows() && has_room && from_memory ? problem.row_len() : 0;
}

class RowsExecutable final : public HostExecutable {
 public:
  RowsExecutable(const Problem& problem, const DeviceInfo& device, const RowsConfig& config,
                 const HostLoops& loops)
      : call_(Normalization::of(problem)),
        accumulation_(problem.accumulation_type()),
        config_(config),
        ahead_(elements_ahead(problem, device)),
        loops_(loops) {}

  std::size_t workspace_bytes() const noexcept override { return 0; }

  Status launch(const NormArgs& args, void*, Stream) const override {
    if (Status status = check_runtime(); !status.ok()) return status;
    RowWork work;
    work.call = with_outputs(call_, args, config_.store);
    work.block = config_.block;
    work.ahead = ahead_;
    return run_whole(loops_.rows(work.call, accumulation_, config_.lanes), work, call_.rows,
                     config_.threads);
  }

 private:
  Normalization call_;
  DType accumulation_;
  RowsConfig config_;
  std::int64_t ahead_;
  const HostLoops& loops_;
};

class Rows final : public Strategy<RowsConfig> {
 public:
  std::string_view name() const noexcept override { return "rows"; }

 private:
  /// In whatever pieces a row lies.
  Support walks(const Problem&) const override { return Support::yes(); }

  Support supports_config(const Problem& problem, const DeviceInfo& device,
                          const RowsConfig& config) const override {
    if (Support support = supports_loops(config.lanes, config.block); !support.ok) return support;
    if (Support support = supports_stores(problem, config.store); !support.ok) return support;
    return in_range("threads", config.threads, 1, device.processors);
  }

  std::vector<RowsConfig> candidates(const Problem& problem,
                                     const DeviceInfo& device) const override {
    std::vector<RowsConfig> all;
    for (const int block : block_sizes) {
      // A block beyond the row's end is the same as the one before it.
      if (block > block_sizes.front() && block / 2 >= problem.row_len()) break;
      for (const int lanes : lane_counts) {
        for (const int threads : thread_counts(problem.rows(), device)) {
          for (const Stores store : stores_for(problem, device))
            all.push_back({lanes, block, threads, store});
        }
      }
    }
    return all;
  }

  double estimate(const Problem& problem, const DeviceInfo& device,
                  const RowsConfig& config) const override {
    const double row_bytes = input_bytes(problem, problem.row_len());
    return host_cost::dispatch_us(config.threads) +
           host_cost::rounds(problem.rows(), config.threads) *
               host_cost::passes_us(problem, device, problem.row_len(), row_bytes, config.store,
                                    problem.row_len()) *
               host_cost::scattered_share(problem);
  }

  Result<std::unique_ptr<const Executable>> make(const Problem& problem, const DeviceInfo& device,
                                                 const RowsConfig& config) const override {
    const Result<HostIsa> isa = host_isa();
    if (!isa.ok()) return isa.status();
    return std::unique_ptr<const Executable>(
        std::make_unique<RowsExecutable>(problem, device, config, *isa.value().loops));
  }
};

}  // namespace

const KernelVariant& host_rows() {
  static const KernelVariant& rows = *new Rows;
  return rows;
}

}  // namespace fastnorm::kokkos
