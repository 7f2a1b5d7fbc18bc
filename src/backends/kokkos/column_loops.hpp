// SPDX-License-Identifier: Apache-2.0
/// The loops over parts of samples whose rows lie side by side.
#pragma once

#include "backends/kokkos/column_passes.hpp"
#include "backends/kokkos/host_loops.hpp"
#include "backends/kokkos/isa.hpp"

#include <algorithm>
#include <cstdint>

namespace fastnorm::kokkos {
inline namespace FASTNORM_ISA {

/// One of the parts of a sample: the moments of its groups go into the workspace, and the
/// standardisers of the sample's groups come from there.
template <class Acc>
class SamplePart {
 public:
  SamplePart(const ColumnWork& work, std::int64_t task)
      : work_(work),
        sample_(work.first + task / work.parts.per_row),
        part_(task % work.parts.per_row),
        of_sample_(work.partials +
                   task / work.parts.per_row * work.parts.per_row * work.matrix.groups) {}

  void reduce() const {
    const ColumnMatrix& matrix = work_.matrix;
    Moments* const partials = of_sample_ + part_ * matrix.groups;
    std::fill_n(partials, matrix.groups, Moments{});
    each_tile([&](const ColumnTile& tile) {
      column_moments<Acc>(work_.call, matrix, tile, [&](std::int64_t group, const Moments& piece) {
        merge(partials[group], piece);
      });
    });
  }

  void apply() const {
    const ColumnMatrix& matrix = work_.matrix;
    each_tile([&](const ColumnTile& tile) {
      apply_columns<Acc>(work_.call, matrix, tile, [&](std::int64_t group) {
        const Moments moments = merged(group);
        const auto standardizer = Standardizer<Acc>::of(moments, work_.call.eps);
        const bool begins_here = group * matrix.group_width >= tile.column;
        if (part_ == 0 && begins_here) {
          store_statistics(work_.call, sample_ * matrix.groups + group, standardizer, moments);
        }
        return standardizer;
      });
    });
  }

 private:
  template <class Function>
  void each_tile(const Function& function) const {
    const std::int64_t width = work_.matrix.width();
    const std::int64_t begin = work_.parts.begin(part_);
    const std::int64_t end = work_.parts.end(part_);
    const std::int64_t fold = std::min(work_.fold, end - begin);
    for (std::int64_t column = 0; column < width; column += tile_lanes) {
      function(ColumnTile{sample_, column, std::min(tile_lanes, width - column), begin, end, fold});
    }
  }

  /// In the order of the parts, whoever asks.
  Moments merged(std::int64_t group) const {
    Moments moments;
    for (std::int64_t part = 0; part < work_.parts.per_row; ++part) {
      merge(moments, of_sample_[part * work_.matrix.groups + group]);
    }
    return moments;
  }

  const ColumnWork& work_;
  std::int64_t sample_;
  std::int64_t part_;
  Moments* of_sample_;  ///< [part][group].
};

template <class Acc>
void reduce_columns(const ColumnWork& work, std::int64_t begin, std::int64_t end) {
  for (std::int64_t task = begin; task < end; ++task) SamplePart<Acc>(work, task).reduce();
}

template <class Acc>
void apply_columns_of_parts(const ColumnWork& work, std::int64_t begin, std::int64_t end) {
  for (std::int64_t task = begin; task < end; ++task) SamplePart<Acc>(work, task).apply();
  finish_streaming();
}

/// Of samples in one part: a small one is still in the cache for its output.
template <class Acc>
void normalize_columns(const ColumnWork& work, std::int64_t begin, std::int64_t end) {
  for (std::int64_t task = begin; task < end; ++task) {
    const SamplePart<Acc> sample(work, task);
    sample.reduce();
    sample.apply();
  }
  finish_streaming();
}

inline Loops<ColumnWork> column_loops(DType accumulation) {
  return with_accumulator(accumulation, [](auto tag) -> Loops<ColumnWork> {
    using Acc = typename decltype(tag)::type;
    return {normalize_columns<Acc>, reduce_columns<Acc>, apply_columns_of_parts<Acc>};
  });
}

}  // namespace FASTNORM_ISA
}  // namespace fastnorm::kokkos
