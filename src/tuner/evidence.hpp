// SPDX-License-Identifier: Apache-2.0
/// Which of several measurements of one problem to believe.
#pragma once

#include "core/tuning_db.hpp"

#include <vector>

namespace fastnorm::tuner {

/// One entry for each key and shape, sorted: of several, the one with the better evidence, whatever
/// their order.
///
/// An entry that this library cannot use gives way to one that it can. The others are rivals, of
/// one device and one kernel version, and each was the fastest of its run. What tells them apart is
/// how fast, in copies of the same tensors where all of them know that: the copy was measured in
/// the same run, so that a machine of slower memory or clocks is no slower by it. The default's
/// time is no such measure, since the default may have been another one. The fastest wins by what
/// no noise explains: two standard errors of the difference between the medians, and not less than
/// half a percent, which is what runs differ by. Among those that are as fast, the one of more
/// samples, then of less scatter; their dates say nothing.
std::vector<TuningEntry> join_by_evidence(std::vector<TuningEntry> entries);

}  // namespace fastnorm::tuner
