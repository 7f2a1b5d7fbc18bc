// SPDX-License-Identifier: Apache-2.0
#include "backends/kokkos/host_cost.hpp"
#include "backends/kokkos/host_dispatch.hpp"
#include "backends/kokkos/host_strategies.hpp"
#include "backends/kokkos/lanes.hpp"
#include "backends/kokkos/parts.hpp"
#include "backends/kokkos/row_passes.hpp"

#include <algorithm>

namespace fastnorm::kokkos {
namespace {

struct SplitRowsConfig {
  int lanes = 32;    ///< Independent accumulators.
  int block = 1024;  ///< Elements a statistics block.
  int splits = 1;    ///< Parts a row, at most.

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("lanes", self.lanes);
    visit("block", self.block);
    visit("splits", self.splits);
  }
};

/// First step: the moments of each part, each written by the one thread that read the part.
template <class Passes, int Lanes>
struct ReducePart {
  Normalization call;
  Parts parts;
  Moments* partials;
  std::int64_t block;

  void operator()(std::int64_t task) const {
    const std::int64_t row = task / parts.per_row;
    const std::int64_t part = task % parts.per_row;
    partials[task] =
        Passes::template moments<Lanes>(call, row, parts.begin(part), parts.end(part), block);
  }
};

/// Second step: every task merges its row's partials again, which is cheaper than a third step.
template <class Passes>
struct ApplyPart {
  Normalization call;
  Parts parts;
  const Moments* partials;

  void operator()(std::int64_t task) const {
    const std::int64_t row = task / parts.per_row;
    const std::int64_t part = task % parts.per_row;
    const Moments moments = merge_row(partials, parts, row);
    const auto standardizer = Standardizer<typename Passes::Acc>::of(moments, call.eps);
    if (part == 0) store_statistics(call, row, standardizer, moments);
    Passes::apply(call, standardizer, row, parts.begin(part), parts.end(part));
  }
};

template <class Acc, int Lanes>
class SplitRowsExecutable final : public HostExecutable {
 public:
  SplitRowsExecutable(const Problem& problem, const SplitRowsConfig& config)
      : call_(Normalization::of(problem)),
        parts_(Parts::of(problem.row_len(), config.splits)),
        block_(config.block) {}

  std::size_t workspace_bytes() const noexcept override {
    return static_cast<std::size_t>(tasks()) * sizeof(Moments);
  }

  Status launch(const NormArgs& args, void* workspace, Stream) const override {
    if (Status status = check_runtime(); !status.ok()) return status;
    const Normalization call = call_.with(args);
    auto* partials = static_cast<Moments*>(workspace);
    return with_passes<Acc>(call, [&](auto passes) {
      using Passes = decltype(passes);
      if (Status status = for_each("fastnorm::parts", tasks(),
                                   ReducePart<Passes, Lanes>{call, parts_, partials, block_});
          !status.ok()) {
        return status;
      }
      return for_each("fastnorm::apply", tasks(), ApplyPart<Passes>{call, parts_, partials});
    });
  }

 private:
  std::int64_t tasks() const noexcept { return call_.rows * parts_.per_row; }

  Normalization call_;
  Parts parts_;
  std::int64_t block_;
};

class SplitRows final : public Strategy<SplitRowsConfig> {
 public:
  std::string_view name() const noexcept override { return "split_rows"; }

 private:
  /// In whatever pieces a row lies.
  Support walks(const Problem&) const override { return Support::yes(); }

  Support supports_config(const Problem&, const DeviceInfo&,
                          const SplitRowsConfig& config) const override {
    const Support support = supports_loops(config.lanes, config.block);
    return support.ok ? supports_splits(config.splits) : support;
  }

  std::vector<SplitRowsConfig> candidates(const Problem& problem,
                                          const DeviceInfo& device) const override {
    // Powers of two, and the numbers that give every thread one or two parts of each row.
    std::vector<int> splits{device.processors, 2 * device.processors};
    for (int count = 2; count <= max_splits; count *= 2) splits.push_back(count);
    std::sort(splits.begin(), splits.end());
    splits.erase(std::unique(splits.begin(), splits.end()), splits.end());

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
        for (const int lanes : lane_counts) all.push_back({lanes, block, count});
      }
    }
    return all;
  }

  double estimate(const Problem& problem, const DeviceInfo& device,
                  const SplitRowsConfig& config) const override {
    const Parts parts = Parts::of(problem.row_len(), config.splits);
    // Between the two reads of a part lies the whole tensor.
    const bool cached =
        input_bytes(problem, problem.elements()) <=
        static_cast<double>(host_cost::cache_per_thread(device) * device.processors);
    const double merges_us = 5e-3 * static_cast<double>(parts.per_row);
    return 2 * host_cost::dispatch_us(device) +
           host_cost::rounds(problem.rows() * parts.per_row, device) *
               (host_cost::passes_us(problem, parts.part_len, cached ? 1 : 2) *
                    host_cost::scattered_share(problem) +
                merges_us);
  }

  Result<std::unique_ptr<const Executable>> make(const Problem& problem, const DeviceInfo&,
                                                 const SplitRowsConfig& config) const override {
    return with_accumulator(problem.accumulation_type(), [&](auto tag) {
      using Acc = typename decltype(tag)::type;
      return with_lanes(config.lanes, [&](auto lanes) -> std::unique_ptr<const Executable> {
        return std::make_unique<SplitRowsExecutable<Acc, lanes()>>(problem, config);
      });
    });
  }
};

}  // namespace

const KernelVariant& host_split_rows() {
  static const KernelVariant& split_rows = *new SplitRows;
  return split_rows;
}

}  // namespace fastnorm::kokkos
