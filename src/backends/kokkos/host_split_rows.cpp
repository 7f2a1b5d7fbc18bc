// SPDX-License-Identifier: Apache-2.0
#include "backends/kokkos/host_cost.hpp"
#include "backends/kokkos/host_strategies.hpp"
#include "backends/kokkos/run_loops.hpp"

#include <algorithm>

namespace fastnorm::kokkos {
namespace {

struct SplitRowsConfig {
  int lanes = 32;    ///< Independent accumulators.
  int block = 1024;  ///< Elements a statistics block.
  int splits = 1;    ///< Parts a row, at most.
  int wave = 1;      ///< Rows whose parts are all read before any is written.
  Stores store = Stores::cached;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("lanes", self.lanes);
    visit("block", self.block);
    visit("splits", self.splits);
    visit("wave", self.wave);
    visit("store", self.store);
  }
};

class SplitRowsExecutable final : public HostExecutable {
 public:
  SplitRowsExecutable(const Problem& problem, const DeviceInfo& device,
                      const SplitRowsConfig& config, const HostLoops& loops)
      : call_(Normalization::of(problem)),
        accumulation_(problem.accumulation_type()),
        parts_(Parts::of(problem.row_len(), config.splits)),
        config_(config),
        threads_(device.processors),
        loops_(loops) {}

  std::size_t workspace_bytes() const noexcept override {
    const std::int64_t rows = std::min<std::int64_t>(config_.wave, call_.rows);
    return static_cast<std::size_t>(rows * parts_.per_row) * sizeof(Moments);
  }

  Status launch(const NormArgs& args, void* workspace, Stream) const override {
    if (Status status = check_runtime(); !status.ok()) return status;
    RowWork work;
    work.call = with_outputs(call_, args, config_.store);
    work.parts = parts_;
    work.partials = static_cast<Moments*>(workspace);
    work.block = config_.block;
    return run_in_waves(loops_.rows(work.call, accumulation_, config_.lanes), work, call_.rows,
                        config_.wave, threads_);
  }

 private:
  Normalization call_;
  DType accumulation_;
  Parts parts_;
  SplitRowsConfig config_;
  int threads_;
  const HostLoops& loops_;
};

class SplitRows final : public Strategy<SplitRowsConfig> {
 public:
  std::string_view name() const noexcept override { return "split_rows"; }

 private:
  /// In whatever pieces a row lies.
  Support walks(const Problem&) const override { return Support::yes(); }

  Support supports_config(const Problem& problem, const DeviceInfo&,
                          const SplitRowsConfig& config) const override {
    if (Support support = supports_loops(config.lanes, config.block); !support.ok) return support;
    if (Support support = supports_stores(problem, config.store); !support.ok) return support;
    if (Support support = supports_splits(config.splits); !support.ok) return support;
    return supports_wave(config.wave);
  }

  std::vector<SplitRowsConfig> candidates(const Problem& problem,
                                          const DeviceInfo& device) const override {
    // Powers of two, and the numbers that give every thread one or two parts of each row.
    std::vector<int> splits{device.processors, 2 * device.processors};
    for (int count = 2; count <= max_splits; count *= 2) splits.push_back(count);
    std::sort(splits.begin(), splits.end());
    splits.erase(std::unique(splits.begin(), splits.end()), splits.end());
    const std::vector<int> waves =
        wave_sizes(problem.rows(), input_bytes(problem, problem.row_len()), device);

    std::vector<SplitRowsConfig> all;
    std::int64_t parts_before = 0;
    for (const int count : splits) {
      if (count < 2 || count > max_splits) continue;
      const Parts parts = Parts::of(problem.row_len(), count);
      // Below a page a part is mostly overhead; more splits than that give the same parts again.
      if (!all.empty() && (parts.part_len < block_sizes.front() || parts.per_row == parts_before)) {
        break;
      }
      parts_before = parts.per_row;
      for (const int block : block_sizes) {
        if (block > block_sizes.front() && block / 2 >= parts.part_len) break;
        for (const int lanes : lane_counts) {
          for (const int wave : waves) {
            for (const Stores store : stores_for(problem, device))
              all.push_back({lanes, block, count, wave, store});
          }
        }
      }
    }
    return all;
  }

  double estimate(const Problem& problem, const DeviceInfo& device,
                  const SplitRowsConfig& config) const override {
    const Parts parts = Parts::of(problem.row_len(), config.splits);
    const std::int64_t wave = std::clamp<std::int64_t>(problem.rows(), 1, config.wave);
    const double tasks = host_cost::rounds(wave * parts.per_row, device.processors);
    // Between a thread's two reads of a part lies its share of the wave.
    const double bytes_ago = tasks * input_bytes(problem, parts.part_len);
    const double merges_us = 5e-3 * static_cast<double>(parts.per_row);
    const double task_us = host_cost::passes_us(problem, device, parts.part_len, bytes_ago,
                                                config.store, parts.part_len) *
                               host_cost::scattered_share(problem) +
                           merges_us;
    return host_cost::rounds(problem.rows(), wave) *
           (2 * host_cost::dispatch_us(device.processors) + tasks * task_us);
  }

  Result<std::unique_ptr<const Executable>> make(const Problem& problem, const DeviceInfo& device,
                                                 const SplitRowsConfig& config) const override {
    const Result<HostIsa> isa = host_isa();
    if (!isa.ok()) return isa.status();
    return std::unique_ptr<const Executable>(
        std::make_unique<SplitRowsExecutable>(problem, device, config, *isa.value().loops));
  }
};

}  // namespace

const KernelVariant& host_split_rows() {
  static const KernelVariant& split_rows = *new SplitRows;
  return split_rows;
}

}  // namespace fastnorm::kokkos
