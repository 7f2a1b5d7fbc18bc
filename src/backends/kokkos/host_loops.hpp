// SPDX-License-Identifier: Apache-2.0
/// The loops of the host's strategies, as compiled for one instruction set.
///
/// A task is a row, or a part of one (of a sample, of columns); a thread is given a run of tasks.
#pragma once

#include "backends/kokkos/moments.hpp"
#include "backends/kokkos/normalization.hpp"
#include "backends/kokkos/parts.hpp"
#include "core/column_matrix.hpp"

#include <fastnorm/status.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace fastnorm::kokkos {

/// What every task of a call on rows knows.
struct RowWork {
  Normalization call;
  Parts parts;
  Moments* partials = nullptr;  ///< Of each part, [row][part], from row `first` on.
  std::int64_t first = 0;
  std::int64_t block = 0;  ///< Elements a statistics block.
  std::int64_t ahead = 0;  ///< Elements of the next row that are fetched while one is written.
};

/// The same of a matrix of columns. Parts are of a sample's positions.
struct ColumnWork {
  Normalization call;
  ColumnMatrix matrix;
  std::int64_t fold = 1;  ///< Positions that are handled as one, by positions_at_once().
  Parts parts;
  Moments* partials = nullptr;  ///< [sample][part][group], from sample `first` on.
  std::int64_t first = 0;
};

/// Each does the tasks [begin, end).
template <class Work>
struct Loops {
  using Loop = void (*)(const Work&, std::int64_t begin, std::int64_t end);
  Loop normalize;  ///< Tasks are whole: both passes.
  Loop reduce;     ///< Tasks are parts: the moments of each, written by the one that read it.
  Loop apply;      ///< And each part's output, when all partials of its row are there.
};

struct HostLoops {
  /// Those that serve the call, whose tensors are known, computed in `accumulation` with so many
  /// `lanes`.
  Loops<RowWork> (*rows)(const Normalization& call, DType accumulation, int lanes);
  Loops<ColumnWork> (*columns)(DType accumulation);
};

/// An instruction set that this build has loops for, by the name that FASTNORM_HOST_ISA gives it.
struct HostIsa {
  std::string_view name;
  const HostLoops* loops;
};

/// Those that this processor runs, the best one last.
std::vector<HostIsa> runnable_isas();

/// The best one, or the one that the environment's FASTNORM_HOST_ISA names. Errors:
/// invalid_argument for a name that is none of theirs.
Result<HostIsa> host_isa();

}  // namespace fastnorm::kokkos
