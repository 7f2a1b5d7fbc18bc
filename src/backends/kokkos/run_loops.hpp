// SPDX-License-Identifier: Apache-2.0
/// A call's loops on the threads of the host space.
#pragma once

#include "backends/kokkos/host_dispatch.hpp"
#include "backends/kokkos/host_loops.hpp"

#include <algorithm>
#include <cstdint>

namespace fastnorm::kokkos {

template <class Work>
struct RunLoop {
  typename Loops<Work>::Loop loop;
  const Work* work;

  void operator()(std::int64_t begin, std::int64_t end) const { loop(*work, begin, end); }
};

/// One step: tasks are whole rows, or samples.
template <class Work>
Status run_whole(const Loops<Work>& loops, const Work& work, std::int64_t tasks,
                 std::int64_t threads) {
  return for_each_share("fastnorm::whole", tasks, threads, RunLoop<Work>{loops.normalize, &work});
}

/// Two steps for each wave: so many rows, or samples, whose parts are all read before any is
/// written.
template <class Work>
Status run_in_waves(const Loops<Work>& loops, Work work, std::int64_t rows, std::int64_t wave,
                    std::int64_t threads) {
  for (work.first = 0; work.first < rows; work.first += wave) {
    const std::int64_t tasks = std::min(wave, rows - work.first) * work.parts.per_row;
    const auto steps = {loops.reduce, loops.apply};  // nvcc loses a list that has no name.
    for (const auto loop : steps) {
      Status status = for_each_share("fastnorm::parts", tasks, threads, RunLoop<Work>{loop, &work});
      if (!status.ok()) return status;
    }
  }
  return {};
}

}  // namespace fastnorm::kokkos
