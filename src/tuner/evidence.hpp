// SPDX-License-Identifier: Apache-2.0
/// Which of several measurements of one problem to believe.
#pragma once

#include "core/tuning_db.hpp"

#include <vector>

namespace fastnorm::tuner {

/// What is left of the databases' entries, sorted, whatever the databases' order. As after an edit
/// (merge_into_file()), the same calls are served by one entry whose results repeat bit for bit, by
/// one whose results do not, or, where that one has the best evidence, by both. Those whose results
/// repeat compete first; the best of them meets those whose results do not. So whatever is dropped
/// has lost to what stays. Where the one whose results repeat wins there, too, although it lost in
/// the run that measured it, what it lost to stays beside it. Of one database all is left.
///
/// An entry that this library cannot use, or `device` where it is here (problem_on_device()), gives
/// way to one that can be used. The others are rivals, of one `device` and one kernel version, and
/// each was the fastest of its run. What tells them apart is how fast, in copies of the same
/// tensors where all of them know that: the copy was measured in the same run, so that a machine of
/// slower memory or clocks is no slower by it. The default's time is no such measure, since the
/// default may have been another one. The fastest wins by what no noise explains: two standard
/// errors of the difference between the medians, and not less than half a percent, which is what
/// runs differ by. Among those that are as fast, one whose results repeat, then the one of more
/// samples, then of less scatter; their dates say nothing.
std::vector<TuningEntry> join_by_evidence(const std::vector<std::vector<TuningEntry>>& databases,
                                          const DeviceKey& device);

}  // namespace fastnorm::tuner
