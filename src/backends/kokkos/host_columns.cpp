// SPDX-License-Identifier: Apache-2.0
#include "backends/kokkos/column_fold.hpp"
#include "backends/kokkos/host_cost.hpp"
#include "backends/kokkos/host_strategies.hpp"
#include "backends/kokkos/run_loops.hpp"
#include "core/integer.hpp"

#include <algorithm>
#include <vector>

namespace fastnorm::kokkos {
namespace {

struct ColumnsConfig {
  int splits = 1;  ///< Parts of a sample's positions, at most.
  int wave = 1;    ///< Samples whose parts are all read before any is written.
  Stores store = Stores::cached;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("splits", self.splits);
    visit("wave", self.wave);
    visit("store", self.store);
  }
};

/// Positions that a thread's loops handle as one.
std::int64_t fold_of(const ColumnMatrix& matrix, const Parts& parts) {
  // Parts are of whole lines, also where there are fewer positions.
  return positions_at_once(matrix, std::min(parts.part_len, matrix.positions));
}

class ColumnsExecutable final : public HostExecutable {
 public:
  ColumnsExecutable(const Problem& problem, const DeviceInfo& device, const ColumnsConfig& config,
                    const HostLoops& loops)
      : call_(Normalization::of(problem)),
        loops_(loops.columns(problem.accumulation_type())),
        matrix_(*column_matrix(problem)),
        parts_(Parts::of(matrix_.positions, config.splits)),
        config_(config),
        threads_(device.processors) {}

  std::size_t workspace_bytes() const noexcept override {
    const std::int64_t samples =
        is_whole() ? matrix_.samples : std::min<std::int64_t>(config_.wave, matrix_.samples);
    return static_cast<std::size_t>(samples * parts_.per_row * matrix_.groups) * sizeof(Moments);
  }

  Status launch(const NormArgs& args, void* workspace, Stream) const override {
    if (Status status = check_runtime(); !status.ok()) return status;
    ColumnWork work;
    work.call = with_outputs(call_, args, config_.store);
    work.matrix = matrix_;
    work.fold = fold_of(matrix_, parts_);
    work.parts = parts_;
    work.partials = static_cast<Moments*>(workspace);
    return is_whole() ? run_whole(loops_, work, matrix_.samples, threads_)
                      : run_in_waves(loops_, work, matrix_.samples, config_.wave, threads_);
  }

 private:
  bool is_whole() const noexcept { return parts_.per_row == 1; }

  Normalization call_;
  Loops<ColumnWork> loops_;
  ColumnMatrix matrix_;
  Parts parts_;
  ColumnsConfig config_;
  int threads_;
};

class Columns final : public Strategy<ColumnsConfig> {
 public:
  std::string_view name() const noexcept override { return "columns"; }

 private:
  Support walks(const Problem& problem) const override {
    return column_matrix(problem) ? Support::yes() : no_column_matrix(problem);
  }

  Support supports_config(const Problem&, const DeviceInfo&,
                          const ColumnsConfig& config) const override {
    const Support support = supports_splits(config.splits);
    return support.ok ? supports_wave(config.wave) : support;
  }

  std::vector<ColumnsConfig> candidates(const Problem& problem,
                                        const DeviceInfo& device) const override {
    const ColumnMatrix matrix = *column_matrix(problem);
    // Powers of two, and the numbers that give every thread one or two parts.
    std::vector<std::int64_t> splits;
    for (const int tasks : {1, 2, 4}) {
      splits.push_back(ceil_divide(std::int64_t{tasks} * device.processors, matrix.samples));
    }
    for (int count = 1; count <= max_splits; count *= 2) splits.push_back(count);
    std::sort(splits.begin(), splits.end());

    std::vector<ColumnsConfig> all;
    std::int64_t parts_before = 0;
    for (const std::int64_t count : splits) {
      if (count > max_splits) break;
      const std::int64_t parts = Parts::of(matrix.positions, count).per_row;
      if (parts == parts_before) continue;
      parts_before = parts;
      // Whole samples take no two steps.
      const std::vector<int> waves =
          parts == 1 ? std::vector<int>{1}
                     : wave_sizes(matrix.samples,
                                  input_bytes(problem, matrix.positions * matrix.width()), device);
      for (const int wave : waves) {
        for (const Stores store : stores_for(problem, device)) {
          all.push_back({static_cast<int>(count), wave, store});
        }
      }
    }
    return all;
  }

  double estimate(const Problem& problem, const DeviceInfo& device,
                  const ColumnsConfig& config) const override {
    constexpr double merge_us = 5e-3;
    const ColumnMatrix matrix = *column_matrix(problem);
    const Parts parts = Parts::of(matrix.positions, config.splits);
    const bool whole = parts.per_row == 1;
    const std::int64_t of_part = parts.part_len * matrix.width();
    const std::int64_t wave =
        std::clamp<std::int64_t>(matrix.samples, 1, whole ? max_wave : config.wave);
    const double tasks = host_cost::rounds(wave * parts.per_row, device.processors);
    // Between a thread's two reads of a part lies its share of the wave, and of a sample the
    // sample.
    const double bytes_ago = (whole ? 1 : tasks) * input_bytes(problem, of_part);
    const double merges_us = merge_us * static_cast<double>(parts.per_row * matrix.groups);
    const std::int64_t run = matrix.width() * fold_of(matrix, parts);
    const double task_us =
        host_cost::passes_us(problem, device, of_part, bytes_ago, config.store, run) + merges_us;
    return host_cost::rounds(matrix.samples, wave) *
           ((whole ? 1 : 2) * host_cost::dispatch_us(device.processors) + tasks * task_us);
  }

  Result<std::unique_ptr<const Executable>> make(const Problem& problem, const DeviceInfo& device,
                                                 const ColumnsConfig& config) const override {
    const Result<HostIsa> isa = host_isa();
    if (!isa.ok()) return isa.status();
    return std::unique_ptr<const Executable>(
        std::make_unique<ColumnsExecutable>(problem, device, config, *isa.value().loops));
  }
};

}  // namespace

const KernelVariant& host_columns() {
  static const KernelVariant& columns = *new Columns;
  return columns;
}

}  // namespace fastnorm::kokkos
