// SPDX-License-Identifier: Apache-2.0
#include "backends/kokkos/column_passes.hpp"
#include "backends/kokkos/host_cost.hpp"
#include "backends/kokkos/host_dispatch.hpp"
#include "backends/kokkos/host_strategies.hpp"
#include "backends/kokkos/parts.hpp"
#include "core/integer.hpp"

#include <algorithm>
#include <vector>

namespace fastnorm::kokkos {
namespace {

struct ColumnsConfig {
  int splits = 1;  ///< Parts of a sample's positions, at most.

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("splits", self.splits);
  }
};

/// One of the parts of a sample: the moments of its groups go into the workspace, and the
/// standardisers of the sample's groups come from there.
template <class Acc>
class SamplePart {
 public:
  SamplePart(const Normalization& call, const ColumnMatrix& matrix, const Parts& parts,
             Moments* partials, std::int64_t task)
      : call_(call),
        matrix_(matrix),
        parts_(parts),
        sample_(task / parts.per_row),
        part_(task % parts.per_row),
        of_sample_(partials + sample_ * parts.per_row * matrix.groups) {}

  void reduce() const {
    Moments* const partials = of_sample_ + part_ * matrix_.groups;
    std::fill_n(partials, matrix_.groups, Moments{});
    each_tile([&](const ColumnTile& tile) {
      column_moments<Acc>(call_, matrix_, tile, [&](std::int64_t group, const Moments& piece) {
        merge(partials[group], piece);
      });
    });
  }

  void apply() const {
    each_tile([&](const ColumnTile& tile) {
      apply_columns<Acc>(call_, matrix_, tile, [&](std::int64_t group) {
        const Moments moments = merged(group);
        const auto standardizer = Standardizer<Acc>::of(moments, call_.eps);
        const bool begins_here = group * matrix_.group_width >= tile.column;
        if (part_ == 0 && begins_here) {
          store_statistics(call_, sample_ * matrix_.groups + group, standardizer, moments);
        }
        return standardizer;
      });
    });
  }

 private:
  template <class Function>
  void each_tile(const Function& function) const {
    for (std::int64_t column = 0; column < matrix_.width(); column += tile_columns) {
      function(ColumnTile{sample_, column, std::min(tile_columns, matrix_.width() - column),
                          parts_.begin(part_), parts_.end(part_)});
    }
  }

  /// In the order of the parts, whoever asks.
  Moments merged(std::int64_t group) const {
    Moments moments;
    for (std::int64_t part = 0; part < parts_.per_row; ++part) {
      merge(moments, of_sample_[part * matrix_.groups + group]);
    }
    return moments;
  }

  const Normalization& call_;
  const ColumnMatrix& matrix_;
  const Parts& parts_;
  std::int64_t sample_;
  std::int64_t part_;
  Moments* of_sample_;  ///< [part][group].
};

/// What every task of a call knows.
template <class Acc>
struct ColumnTasks {
  Normalization call;
  ColumnMatrix matrix;
  Parts parts;
  Moments* partials;

  SamplePart<Acc> part(std::int64_t task) const { return {call, matrix, parts, partials, task}; }
};

template <class Acc>
struct ReduceColumns : ColumnTasks<Acc> {
  void operator()(std::int64_t task) const { this->part(task).reduce(); }
};

template <class Acc>
struct ApplyColumns : ColumnTasks<Acc> {
  void operator()(std::int64_t task) const { this->part(task).apply(); }
};

/// Of samples in one part: a small one is still in the cache for its output.
template <class Acc>
struct NormalizeColumns : ColumnTasks<Acc> {
  void operator()(std::int64_t task) const {
    const SamplePart<Acc> sample = this->part(task);
    sample.reduce();
    sample.apply();
  }
};

template <class Acc>
class ColumnsExecutable final : public HostExecutable {
 public:
  ColumnsExecutable(const Problem& problem, const ColumnsConfig& config)
      : call_(Normalization::of(problem)),
        matrix_(*column_matrix(problem)),
        parts_(Parts::of(matrix_.positions, config.splits)) {}

  std::size_t workspace_bytes() const noexcept override {
    return static_cast<std::size_t>(tasks() * matrix_.groups) * sizeof(Moments);
  }

  Status launch(const NormArgs& args, void* workspace, Stream) const override {
    if (Status status = check_runtime(); !status.ok()) return status;
    const ColumnTasks<Acc> all{call_.with(args), matrix_, parts_, static_cast<Moments*>(workspace)};
    if (parts_.per_row == 1) {
      return for_each("fastnorm::cols", tasks(), NormalizeColumns<Acc>{all});
    }
    if (Status status = for_each("fastnorm::cols", tasks(), ReduceColumns<Acc>{all});
        !status.ok()) {
      return status;
    }
    return for_each("fastnorm::apply", tasks(), ApplyColumns<Acc>{all});
  }

 private:
  std::int64_t tasks() const noexcept { return matrix_.samples * parts_.per_row; }

  Normalization call_;
  ColumnMatrix matrix_;
  Parts parts_;
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
    return supports_splits(config.splits);
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
      all.push_back({static_cast<int>(count)});
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
    // Between the two reads of a part lies the whole tensor, and of a whole sample the sample.
    const std::int64_t between = whole ? of_part : problem.elements();
    const std::int64_t caches =
        host_cost::cache_per_thread(device) * (whole ? 1 : device.processors);
    const bool cached = input_bytes(problem, between) <= static_cast<double>(caches);
    const double merges_us = merge_us * static_cast<double>(parts.per_row * matrix.groups);
    return (whole ? 1 : 2) * host_cost::dispatch_us(device) +
           host_cost::rounds(matrix.samples * parts.per_row, device) *
               (host_cost::passes_us(problem, of_part, cached ? 1 : 2) + merges_us);
  }

  Result<std::unique_ptr<const Executable>> make(const Problem& problem, const DeviceInfo&,
                                                 const ColumnsConfig& config) const override {
    return with_accumulator(problem.accumulation_type(),
                            [&](auto tag) -> std::unique_ptr<const Executable> {
                              using Acc = typename decltype(tag)::type;
                              return std::make_unique<ColumnsExecutable<Acc>>(problem, config);
                            });
  }
};

}  // namespace

const KernelVariant& host_columns() {
  static const KernelVariant& columns = *new Columns;
  return columns;
}

}  // namespace fastnorm::kokkos
